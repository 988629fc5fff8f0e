import StratusCloudModel
import StratusCloudWire
import Testing

struct UserCodingTests {
    private let decoder = RequestDecoder()
    private let encoder = ResponseEncoder(context: WireContext(requestUUID: "U"))
    private static let hash = [UInt8](0..<32)

    @Test func lookups() throws {
        let lookups: [UserLookup] = [
            .emailAddress("a@b"), .phoneNumber("+1 555"), .userRecordName("_u"), .emailAddress(""),
        ]
        #expect(try decoder.discoverUsers(RequestEncoder().discoverUsers(lookups)) == lookups)
        #expect(try decoder.discoverUsers([]) == nil)
        #expect(try decoder.discoverUsers(Array(#"{"lookupInfos":null}"#.utf8)) == nil)
        let old = Array(#"{"users":[{"emailAddress":"a@b","userRecordName":"_u"}]}"#.utf8)
        #expect(try decoder.lookupUsers(old, by: .emailAddress) == [.emailAddress("a@b")])
        #expect(try decoder.lookupUsers(old, by: .userRecordName) == [.userRecordName("_u")])
        #expect(throws: CloudError(.badRequest, "users[0] has no phoneNumber.")) {
            try decoder.lookupUsers(old, by: .phoneNumber)
        }
    }

    @Test(arguments: [
        (#"{"lookupInfos":{}}"#, "lookupInfos must be an array."),
        (#"{"lookupInfos":[7]}"#, "lookupInfos[0] must be an object."),
        (
            #"{"lookupInfos":[{"emailAddress":"a"},{"name":"Ada"}]}"#,
            "lookupInfos[1] names nobody: it must have emailAddress, phoneNumber or userRecordName."
        ),
        (#"{"lookupInfos":[{"phoneNumber":1}]}"#, "lookupInfos[0].phoneNumber must be a string."),
    ])
    func refusedLookups(body: String, reason: String) {
        #expect(throws: CloudError(.badRequest, reason)) { try decoder.discoverUsers(Array(body.utf8)) }
    }

    @Test func lookupsAreBounded() throws {
        let lookups = (0..<201).map { UserLookup.emailAddress("\($0)") }
        #expect(try decoder.discoverUsers(RequestEncoder().discoverUsers(lookups.dropLast()))?.count == 200)
        #expect(throws: CloudError.self) { try decoder.discoverUsers(RequestEncoder().discoverUsers(lookups)) }
        #expect(throws: CloudError.self) {
            try RequestDecoder(operationLimit: 2).discoverUsers(RequestEncoder().discoverUsers(lookups.suffix(3)))
        }
    }

    @Test func contacts() throws {
        let hashes = [Self.hash, Self.hash.reversed()]
        #expect(try decoder.contacts(RequestEncoder().contacts(hashes)) == hashes)
        #expect(try decoder.contacts(RequestEncoder().contacts([])) == [])
        #expect(try decoder.contacts(RequestEncoder().contacts(nil)) == nil)
        #expect(throws: CloudError.self) { try decoder.contacts(RequestEncoder().contacts([Self.hash + [1]])) }
        #expect(throws: CloudError(.badRequest, "contactHashes[0] must be the base64 text of a SHA-256.")) {
            try decoder.contacts(Array(#"{"contactHashes":["ada@example.org"]}"#.utf8))
        }
        let many = Array(repeating: Self.hash, count: ModelLimits.contactsPerUser)
        #expect(try decoder.contacts(RequestEncoder().contacts(many))?.count == many.count)
        #expect(throws: CloudError.self) { try decoder.contacts(RequestEncoder().contacts(many + [Self.hash])) }
    }

    @Test func answers() throws {
        let users = [
            UserIdentity(userRecordName: "_u", givenName: "Ada", lookupInfo: .emailAddress("a@b")),
            UserIdentity(userRecordName: "_v", familyName: "H", lookupInfo: .phoneNumber("+1")),
            UserIdentity(userRecordName: "_w", lookupInfo: .userRecordName("_w")),
        ]
        #expect(try ResponseDecoder().users(encoder.discoverUsers(users)) == users)
        let old = String(decoding: encoder.lookupUsers(users), as: UTF8.self)
        #expect(
            old == """
                {"users":[{"userRecordName":"_u","firstName":"Ada","emailAddress":"a@b"},\
                {"userRecordName":"_v","lastName":"H","phoneNumber":"+1"},{"userRecordName":"_w"}]}
                """)
        let contacts = Contacts(
            users: [UserIdentity(userRecordName: "_u", lookupInfo: .contactHash(Self.hash))], salt: [1, 2, 3])
        let body = encoder.contacts(contacts)
        #expect(try ResponseDecoder().contacts(body) == contacts)
        #expect(String(decoding: body, as: UTF8.self).contains(#""contacts":[{"userRecordName":"_u""#))
    }
}
