import StratusCloudCrypto
import StratusCloudModel
import StratusCloudStore
import StratusWorkers
import Testing

@testable import StratusCloudService

@Suite struct DiscoveryTests {
    private static let ada = "ada@example.org"
    private static let grace = "grace@example.org"
    private static let phone = "+442079460000"

    /// A cloud with two people, of whom Ada has said everything of herself.
    private func make(
        _ engine: Engine = .memory, rates: RequestRates = RequestRates()
    ) async throws -> TestCloud {
        let cloud = try await TestCloud(engine, configuration: .init(rates: rates))
        try await cloud.service.createAccount(
            email: Self.ada, password: "correct horse",
            profile: ProfileChange(givenName: "Ada", familyName: "Lovelace", phone: "+44 (20) 7946-0000"))
        try await cloud.service.createAccount(email: Self.grace, password: "correct horse")
        return cloud
    }

    private func caller(_ email: String, _ cloud: TestCloud) async throws -> Caller {
        let name = try await cloud.service.userRecordName(email: email, in: cloud.context)
        return Caller(context: cloud.context, principal: .user(name))
    }

    @Test(arguments: Engine.allCases)
    func whoSaidYesIsFoundByEachWordWithNames(engine: Engine) async throws {
        let cloud = try await make(engine)
        let grace = try await caller(Self.grace, cloud)
        let name = try #require(try await caller(Self.ada, cloud).userRecordName)
        try await cloud.service.setDiscoverable(true, email: Self.ada, in: cloud.context)
        let lookups: [UserLookup] = [
            .emailAddress("ADA@example.org "), .phoneNumber("0044 20 7946 0000"), .userRecordName(name),
        ]
        let found = try await cloud.service.discoverUsers(lookups, as: grace)
        #expect(found.map(\.lookupInfo) == lookups)
        #expect(found.allSatisfy { $0.userRecordName == name && $0.givenName == "Ada" && $0.familyName == "Lovelace" })
        let own = try await cloud.service.currentUser(as: Caller(context: cloud.context, principal: .user(name)))
        #expect(own.givenName == "Ada" && own.lookupInfo == .emailAddress(Self.ada))
        #expect(try await cloud.service.currentUser(as: grace).lookupInfo == nil)
    }

    /// Whoever did not say yes is to lookups as one who has no account: not only the same answer, but the same keys
    /// asked for, none of which exists.
    @Test func whoSaidNothingIsAsUnknown() async throws {
        let cloud = try await make()
        let grace = try await caller(Self.grace, cloud)
        let ada = try #require(try await caller(Self.ada, cloud).userRecordName)
        let hidden: [UserLookup] = [.emailAddress(Self.ada), .phoneNumber(Self.phone), .userRecordName(ada)]
        let unknown: [UserLookup] = [
            .emailAddress("no@example.org"), .phoneNumber("+15550100000"),
            .userRecordName("_" + String(repeating: "f", count: 32)),
        ]
        for (hidden, unknown) in zip(hidden, unknown) {
            #expect(try await cloud.service.discoverUsers([hidden], as: grace) == [])
            #expect(try await cloud.service.discoverUsers([unknown], as: grace) == [])
        }
        try await cloud.service.setDiscoverable(true, email: Self.ada, in: cloud.context)
        #expect(try await cloud.service.discoverUsers(hidden + unknown, as: grace).count == 3)
        try await cloud.service.setDiscoverable(false, email: Self.ada, in: cloud.context)
        #expect(try await cloud.service.discoverUsers(hidden, as: grace) == [])
        let left = try await cloud.store.read(.directory) { transaction in
            try [DirectoryKey.Tag.discoverability, .discoverableUser, .discoverableHash].flatMap { tag in
                try transaction.entries(in: KeyRange(prefix: Key([tag.rawValue])), limit: 10)
            }
        }
        #expect(left.isEmpty)
    }

    @Test func yesHoldsForOneContainerAndEnvironment() async throws {
        let cloud = try await make()
        let other = try #require(ContainerIdentifier("iCloud.org.example.other"))
        try await cloud.service.createContainer(other)
        try await cloud.service.setDiscoverable(true, email: Self.ada, in: cloud.context)
        for context in [
            CloudContext(container: other, environment: .development),
            CloudContext(container: cloud.context.container, environment: .production),
        ] {
            let name = try await cloud.service.userRecordName(email: Self.grace, in: context)
            let caller = Caller(context: context, principal: .user(name))
            #expect(try await cloud.service.discoverUsers([.emailAddress(Self.ada)], as: caller) == [])
        }
    }

    @Test func whatSomebodyIsFoundByFollowsTheProfile() async throws {
        let cloud = try await make()
        let grace = try await caller(Self.grace, cloud)
        try await cloud.service.setDiscoverable(true, email: Self.ada, in: cloud.context)
        try await cloud.service.updateProfile(
            email: Self.ada, ProfileChange(familyName: "", phone: "+1 555 0100"))
        let old = UserLookup.phoneNumber(Self.phone)
        #expect(try await cloud.service.discoverUsers([old], as: grace) == [])
        let found = try await cloud.service.discoverUsers([.phoneNumber("+15550100")], as: grace)
        #expect(found.map(\.givenName) == ["Ada"] && found.map(\.familyName) == [nil])
        // The number is free again, and the new one is taken.
        try await cloud.service.updateProfile(email: Self.grace, ProfileChange(phone: Self.phone))
        await #expect(throws: CloudError(.exists, "an account with the phone number '+15550100' already exists")) {
            try await cloud.service.updateProfile(email: Self.grace, ProfileChange(phone: "+15550100"))
        }
        #expect(try await cloud.service.discoverUsers([old], as: grace) == [])
        try await cloud.service.updateProfile(email: Self.ada, ProfileChange(phone: ""))
        #expect(try await cloud.service.discoverUsers([.phoneNumber("+15550100")], as: grace) == [])
        #expect(try await cloud.service.discoverUsers([.emailAddress(Self.ada)], as: grace).count == 1)
    }

    @Test(arguments: ["1", "+", "+1234", "5550100", "+1234567890123456", "+12a4567", "tel:+15550100"])
    func whatIsNoPhoneNumberIsRefused(text: String) async throws {
        let cloud = try await make()
        await #expect(throws: CloudError.self) {
            try await cloud.service.createAccount(
                email: "x@example.org", password: "correct horse", profile: ProfileChange(phone: text))
        }
        #expect(try await cloud.service.listAccounts() == [Self.ada, Self.grace])
        let grace = try await caller(Self.grace, cloud)
        #expect(try await cloud.service.discoverUsers([.phoneNumber(text)], as: grace) == [])
    }

    @Test(arguments: Engine.allCases)
    func contactsAreHashesThatOnlyFindWhoSaidYes(engine: Engine) async throws {
        let cloud = try await make(engine)
        let grace = try await caller(Self.grace, cloud)
        let empty = try await cloud.service.contacts(replacing: nil, as: grace)
        #expect(empty.users == [] && empty.salt.count == ContactSalt.length)
        let hashes = [Self.phone, "no@example.org", Self.ada].map { SHA256.hash(empty.salt + Array($0.utf8)) }
        #expect(try await cloud.service.contacts(replacing: hashes + hashes, as: grace).users == [])
        try await cloud.service.setDiscoverable(true, email: Self.ada, in: cloud.context)
        let found = try await cloud.service.discoverAllUsers(as: grace)
        #expect(found.map(\.lookupInfo) == [.contactHash(hashes[0]), .contactHash(hashes[2])])
        #expect(found.map(\.givenName) == ["Ada", "Ada"])
        let other = try await caller(Self.ada, cloud)
        #expect(try await cloud.service.discoverAllUsers(as: other) == [])
        #expect(try await cloud.service.contacts(replacing: [], as: grace) == Contacts(users: [], salt: empty.salt))
        #expect(try await cloud.service.discoverAllUsers(as: grace) == [])
    }

    @Test func theSaltIsAnotherInEachContainerAndEnvironment() async throws {
        let cloud = try await make()
        var salts: Set<[UInt8]> = []
        for environment in CloudEnvironment.allCases {
            let context = CloudContext(container: cloud.context.container, environment: environment)
            let caller = Caller(context: context, principal: .user(try #require(cloud.user().userRecordName)))
            salts.insert(try await cloud.service.contacts(replacing: nil, as: caller).salt)
            salts.insert(try await cloud.service.contacts(replacing: nil, as: caller).salt)
        }
        #expect(salts.count == 2)
    }

    @Test("Threat 25: whoever tries to find out who is there is stopped", arguments: [2, 200])
    func enumeration(rate: Int) async throws {
        let cloud = try await make(rates: RequestRates(people: Rate(rate, in: 3_600_000)))
        let grace = try await caller(Self.grace, cloud)
        let lookups = (0..<rate).map { UserLookup.emailAddress("\($0)@example.org") }
        #expect(try await cloud.service.discoverUsers(lookups, as: grace) == [])
        await #expect(throws: CloudError.self) {
            try await cloud.service.discoverUsers([.emailAddress(Self.ada)], as: grace)
        }
        await #expect(throws: CloudError.self) {
            try await cloud.service.contacts(replacing: [Array(repeating: 0, count: 32)], as: grace)
        }
        #expect(cloud.service.statistics().throttled[.people] == 2)
        let ada = try await caller(Self.ada, cloud)
        #expect(try await cloud.service.discoverUsers([.emailAddress(Self.ada)], as: ada) == [])
        cloud.clock.withLock { $0 += 3_600_000 }
        #expect(try await cloud.service.discoverUsers(lookups, as: grace) == [])
    }

    @Test func nobodyMayLookForPeople() async throws {
        let cloud = try await make()
        let anonymous = cloud.anonymous
        await expect(.authenticationRequired) { _ = try await cloud.service.discoverUsers([], as: anonymous) }
        await expect(.authenticationRequired) { _ = try await cloud.service.discoverAllUsers(as: anonymous) }
        await expect(.authenticationRequired) { _ = try await cloud.service.contacts(replacing: nil, as: anonymous) }
        await expect(.authenticationRequired) { _ = try await cloud.service.contacts(replacing: [], as: anonymous) }
        await expect(.authenticationRequired) { _ = try await cloud.service.currentUser(as: anonymous) }
    }

    @Test func aServersKeyFindsWhoMayBeFoundAndHasNoAddressBook() async throws {
        let cloud = try await make()
        let key = Caller(context: cloud.context, principal: .serverToServer("_k"))
        #expect(try await cloud.service.currentUser(as: key) == UserIdentity(userRecordName: "_k"))
        #expect(try await cloud.service.discoverUsers([.emailAddress(Self.ada)], as: key) == [])
        try await cloud.service.setDiscoverable(true, email: Self.ada, in: cloud.context)
        let ada = try await caller(Self.ada, cloud)
        let found = try await cloud.service.discoverUsers(
            [.emailAddress(Self.ada), .emailAddress(Self.grace), .userRecordName("_k")], as: key)
        #expect(found.map(\.userRecordName) == [ada.userRecordName])
        #expect(try await cloud.service.discoverAllUsers(as: key) == [])
        await expect(.accessDenied) { _ = try await cloud.service.contacts(replacing: [], as: key) }
        #expect(try await cloud.service.contacts(replacing: nil, as: key).users == [])
    }

    @Test func aLimitHasTwoSides() async throws {
        let cloud = try await make()
        let grace = try await caller(Self.grace, cloud)
        let lookups = (0..<201).map { UserLookup.emailAddress("\($0)@example.org") }
        #expect(try await cloud.service.discoverUsers(Array(lookups.prefix(200)), as: grace) == [])
        await expect(.badRequest) { _ = try await cloud.service.discoverUsers(lookups, as: grace) }
        let hashes = (0...ModelLimits.contactsPerUser).map { SHA256.hash(Array("\($0)".utf8)) }
        #expect(try await cloud.service.contacts(replacing: Array(hashes.dropLast()), as: grace).users == [])
        await expect(.badRequest) { _ = try await cloud.service.contacts(replacing: hashes, as: grace) }
    }

    @Test func signingInCanSayYesAndNoAndNothing() async throws {
        let cloud = try await make()
        let grace = try await caller(Self.grace, cloud)
        for (choice, count) in [(nil, 0), (true, 1), (nil, 1), (false, 0), (nil, 0)] as [(Bool?, Int)] {
            _ = try await cloud.service.signIn(
                email: Self.ada, password: "correct horse", staySignedIn: false, isDiscoverable: choice,
                context: cloud.context, source: nil)
            #expect(try await cloud.service.discoverUsers([.emailAddress(Self.ada)], as: grace).count == count)
        }
        await expect(.authenticationFailed) {
            _ = try await cloud.service.signIn(
                email: Self.ada, password: "wrong password", staySignedIn: false, isDiscoverable: true,
                context: cloud.context, source: nil)
        }
        #expect(try await cloud.service.discoverUsers([.emailAddress(Self.ada)], as: grace) == [])
    }

    private func expect(
        _ code: CloudError.Code, at location: SourceLocation = #_sourceLocation, _ body: () async throws -> Void
    ) async {
        do {
            try await body()
            Issue.record("nothing was refused", sourceLocation: location)
        } catch {
            #expect((error as? CloudError)?.code == code, "\(error)", sourceLocation: location)
        }
    }
}
