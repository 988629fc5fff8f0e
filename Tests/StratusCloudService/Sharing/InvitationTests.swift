import StratusCloudModel
import StratusCloudStore
import Testing

@testable import StratusCloudService

/// What people are invited to and have not come into, without having the links.
@Suite("Invitations")
struct InvitationTests {
    private func invited(_ cloud: TestCloud, _ person: Caller) async throws -> [String] {
        try await cloud.service.shareInvitations(as: person).compactMap { result in
            guard case .link(let link) = result else { return nil }
            #expect(link.value.acceptance == .invited && link.value.role != .publicUser)
            return link.value.share.recordName
        }
    }

    /// What the directory knows of invitations.
    private func notes(_ cloud: TestCloud) async throws -> Int {
        try await cloud.service.runDirectoryErrands(in: cloud.database)
        return try await cloud.store.read(.directory) {
            try $0.entries(in: DirectoryKey.shareInvitations, limit: .max).count
        }
    }

    private func invite(_ people: [Caller], to share: Record, _ cloud: TestCloud) async throws {
        let result = try await cloud.update(share.recordName, in: "Z") { input in
            input.participants = people.map { ShareParticipantInput(lookup: .userRecordName($0.authorRecordName)) }
        }
        #expect(result.saved != nil, "\(result)")
    }

    @Test("An invitation to what can be no address, number or person is refused, and the share stays as it was")
    func impossibleAddresses() async throws {
        let cloud = try await TestCloud()
        try await cloud.makeZone("Z")
        let share = try await cloud.share("root", in: "Z")
        func invite(_ lookup: UserLookup) async throws -> CloudError? {
            let result = try await cloud.update(share.recordName, in: "Z") {
                $0.participants = [ShareParticipantInput(lookup: lookup)]
            }
            return result.error
        }
        for text in ["nobody", "@example.org", "nobody@", "a@b@c", "no body@example.org", "", "  "] {
            let error = try await invite(.emailAddress(text))
            #expect(error?.code == .badRequest && error?.reason.contains("emailAddress") == true, "\(text)")
        }
        #expect(try await invite(.emailAddress("nobody"))?.reason.contains("'nobody'") == true)
        #expect(try await invite(.phoneNumber("nobody"))?.code == .badRequest)
        #expect(try await invite(.userRecordName("nobody"))?.code == .badRequest)
        let unchanged = try await cloud.lookup([share.recordName], zone: "Z").first?.saved
        #expect(unchanged?.recordChangeTag == share.recordChangeTag)
        for lookup in [UserLookup.emailAddress(" Ada@Example.org "), .phoneNumber("+1 555 0100")] {
            #expect(try await invite(lookup) == nil)
        }
    }

    @Test(
        "Who is invited is told, the latest first, until they come or decline; nobody else is",
        arguments: Engine.allCases)
    func untilTheyCome(engine: Engine) async throws {
        let cloud = try await TestCloud(engine)
        let (bob, eve) = (cloud.user("b"), cloud.user("e"))
        try await cloud.makeZone("Z")
        let first = try await cloud.share("first", in: "Z")
        let second = try await cloud.share("second", in: "Z")
        try await cloud.share("open", in: "Z", open: .readOnly)
        try await invite([bob], to: first, cloud)
        cloud.clock.withLock { $0 += 1 }
        try await invite([eve, bob], to: second, cloud)
        #expect(try await invited(cloud, bob) == ["Share-second", "Share-first"])
        #expect(try await invited(cloud, eve) == ["Share-second"])
        for other in [cloud.user("f"), cloud.user()] { #expect(try await invited(cloud, other) == []) }
        // In another environment nobody of that name is invited.
        let elsewhere = Caller(
            context: CloudContext(container: cloud.context.container, environment: .production),
            principal: bob.principal)
        #expect(try await invited(cloud, elsewhere) == [])
        try await cloud.accept(first, as: bob)
        let declined = try await cloud.service.declineShareLinks(
            [ShareLinkRequest(shortGUID: second.shortGUID ?? "")], as: bob)
        #expect(declined.first?.error == nil)
        #expect(try await invited(cloud, bob) == [])
        #expect(try await notes(cloud) == 1)
        // Whoever is invited anew is told anew.
        try await invite([eve, bob], to: second, cloud)
        #expect(try await invited(cloud, bob) == ["Share-second"])
        #expect(try await notes(cloud) == 2)
    }

    @Test("An invitation that is taken back, blocked, over or too old is told to nobody, and leaves nothing")
    func theEnd() async throws {
        let cloud = try await TestCloud()
        let bob = cloud.user("b")
        try await cloud.makeZone("Z")
        func expectNothing(at location: SourceLocation = #_sourceLocation) async throws {
            #expect(try await invited(cloud, bob) == [], sourceLocation: location)
            #expect(try await notes(cloud) == 0, sourceLocation: location)
        }
        func invitedAgain() async throws -> Record {
            let share = try await cloud.share("root", in: "Z")
            try await invite([bob], to: share, cloud)
            #expect(try await invited(cloud, bob) == ["Share-root"])
            return share
        }
        var share = try await invitedAgain()
        try await invite([], to: share, cloud)
        try await expectNothing()
        try await invite([bob], to: share, cloud)
        // Opening the link takes invitations back.
        _ = try await cloud.update(share.recordName, in: "Z") { $0.publicPermission = .readOnly }
        try await expectNothing()
        _ = try await cloud.modify([.make(.forceDelete, share.recordName, type: nil)], zone: "Z")
        share = try await invitedAgain()
        _ = try await cloud.modify([.make(.forceDelete, share.recordName, type: nil)], zone: "Z")
        try await expectNothing()
        share = try await invitedAgain()
        _ = try await cloud.modify([.make(.forceDelete, "root", type: nil)], zone: "Z")
        try await expectNothing()
        share = try await invitedAgain()
        cloud.clock.withLock { $0 += ShareLimits.invitationLifetime }
        try await expectNothing()
        try await invite([], to: share, cloud)
        try await invite([bob], to: share, cloud)
        #expect(try await invited(cloud, bob) == ["Share-root"])
        // Of a zone that is gone the note goes when somebody looks.
        try await cloud.deleteZone("Z")
        try await expectNothing()
    }

    @Test("What a commit wants of the directory is done after a crash")
    func afterACrash() async throws {
        let cloud = try await TestCloud()
        let bob = cloud.user("b")
        try await cloud.makeZone("Z")
        let share = try await cloud.share("root", in: "Z")
        try await invite([bob], to: share, cloud)
        // As if the directory had never been written.
        let entries = try await cloud.store.read(.directory) {
            try $0.entries(in: DirectoryKey.shareInvitations, limit: 9)
        }
        try #require(entries.count == 1)
        try await cloud.store.write(.directory) { $0.clear(DirectoryKey.shareInvitations) }
        try await cloud.store.write(cloud.database) { transaction in
            for entry in entries { transaction.set(Keyspace.directoryChange(of: entry.key), entry.value) }
        }
        #expect(try await invited(cloud, bob) == [])
        let restarted = cloud.restarted()
        // The owner's next commit takes it along.
        _ = try await restarted.update(share.recordName, in: "Z") { $0.denyAccessRequests = false }
        try await restarted.service.tellNews(
            of: SharedNewsDesk.Owner(context: cloud.context, userRecordName: cloud.user().authorRecordName))
        #expect(try await invited(restarted, bob) == ["Share-root"])
    }

    @Test("Of more invitations than a list has, the latest are told")
    func limit() async throws {
        let cloud = try await TestCloud()
        let bob = cloud.user("b")
        try await cloud.makeZone("Z")
        func share(_ range: Range<Int>) async throws {
            for index in range {
                let share = try await cloud.share("r\(index)", in: "Z")
                cloud.clock.withLock { $0 += 1 }
                try await invite([bob], to: share, cloud)
            }
        }
        try await share(0..<ShareLimits.sharesPerOverview)
        #expect(try await invited(cloud, bob).count == ShareLimits.sharesPerOverview)
        try await share(ShareLimits.sharesPerOverview..<ShareLimits.sharesPerOverview + 1)
        let latest = try await invited(cloud, bob)
        #expect(latest.count == ShareLimits.sharesPerOverview)
        #expect(latest.first == "Share-r\(ShareLimits.sharesPerOverview)" && !latest.contains("Share-r0"))
    }
}
