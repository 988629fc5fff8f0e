import CloudKit
import Testing

/// Coming in by links, in the process and over HTTP.
@Suite struct ShareLinkTests {
    @Test("129: what a link leads to", arguments: Door.allCases)
    func metadata(door: Door) async throws {
        let world = try await SharedPair.open(door, accepts: false)
        let url = try #require(world.share.url)
        let operation = CKFetchShareMetadataOperation(shareURLs: [url])
        operation.shouldFetchRootRecord = true
        nonisolated(unsafe) var told: [(URL, Result<CKShare.Metadata, any Error>)] = []
        operation.perShareMetadataResultBlock = { told.append(($0, $1)) }
        await end(of: operation) { _ in world.app.bob.add(operation) }
        let metadata = try #require(try told.first?.1.get())
        #expect(told.count == 1 && told[0].0 == url)
        #expect(metadata.containerIdentifier == world.app.bob.containerIdentifier)
        #expect(metadata.hierarchicalRootRecordID == world.bobs("root"))
        #expect(metadata.rootRecord?["title"] == "Hi" && metadata.rootRecord?.recordID == world.bobs("root"))
        #expect(metadata.share.recordID.zoneID == world.shared && metadata.share.url == url)
        #expect(metadata.share[CKShare.SystemFieldKey.title] == "Trip")
        #expect(metadata.participantRole == .privateUser && metadata.participantStatus == .pending)
        #expect(metadata.participantPermission == .readWrite)
        #expect(metadata.ownerIdentity.userRecordID == (try await world.app.alice.userRecordID()))
        #expect(metadata.share.currentUserParticipant?.acceptanceStatus == .pending)
        let archived = try NSKeyedArchiver.archivedData(withRootObject: metadata, requiringSecureCoding: true)
        let copy = try NSKeyedUnarchiver.unarchivedObject(ofClass: CKShare.Metadata.self, from: archived)
        #expect(copy == metadata && copy?.rootRecord?["title"] == "Hi")
        // An archived invitation is as good.
        let share = try await world.app.bob.accept(try #require(copy))
        #expect(share.currentUserParticipant?.acceptanceStatus == .accepted)
        let own = try await world.app.alice.shareMetadata(for: url)
        #expect(own.participantRole == .owner && own.participantStatus == .accepted && own.rootRecord == nil)
        #expect(own.hierarchicalRootRecordID == world.root.recordID)
    }

    @Test("Links that lead nowhere, or not in", arguments: Door.allCases)
    func refusedLinks(door: Door) async throws {
        let world = try await SharedPair.open(door, nil)
        let url = try #require(world.share.url)
        let nowhere = url.deletingLastPathComponent().appendingPathComponent("nothing")
        let other = try #require(URL(string: "https://example.org/about"))
        let results = try await world.app.bob.shareMetadatas(for: [url, nowhere, other])
        #expect(results[url]?.code == .permissionFailure && results[nowhere]?.code == .unknownItem)
        #expect(results[other]?.code == .invalidArguments)
        #expect(await code { _ = try await world.app.nobody.shareMetadata(for: url) } == .notAuthenticated)
        #expect(await code { _ = try await world.bob.record(for: world.bobs("root")) } == .zoneNotFound)
    }

    @Test("A public link", arguments: Door.allCases)
    func publicLink(door: Door) async throws {
        let world = try await SharedPair.open(door, nil)
        world.share.publicPermission = .readOnly
        try await world.ada.save(world.share)
        let metadata = try await world.app.bob.shareMetadata(for: try #require(world.share.url))
        #expect(metadata.participantRole == .publicUser && metadata.participantPermission == .readOnly)
        let share = try await world.app.bob.accept(metadata)
        #expect(share.currentUserParticipant?.role == .publicUser && share.publicPermission == .readOnly)
        #expect(try await world.bob.record(for: world.bobs("root"))["title"] == "Hi")
        let child = world.child("theirs", in: world.shared)
        #expect(await code { try await world.bob.save(child) } == .permissionFailure)
        let own = try #require(try await world.ada.record(for: world.share.recordID) as? CKShare)
        own.publicPermission = .readWrite
        try await world.ada.save(own)
        try await world.bob.save(child)
        own.publicPermission = .none
        try await world.ada.save(own)
        #expect(own.participants == [own.owner])
        #expect(await code { _ = try await world.bob.record(for: world.bobs("root")) } == .zoneNotFound)
    }

    @Test("A one-time link", arguments: Door.allCases)
    func oneTimeLink(door: Door) async throws {
        let world = try await SharedPair.open(door, nil)
        let somebody = CKShare.Participant.oneTimeURLParticipant()
        somebody.permission = .readWrite
        let id = somebody.participantID
        world.share.addParticipant(somebody)
        #expect(world.share.oneTimeURL(for: id) == nil)
        try await world.ada.save(world.share)
        let url = try #require(world.share.oneTimeURL(for: id))
        #expect(url == world.share.oneTimeURL(for: somebody.participantID) && url != world.share.url)
        try await SharedPair.accept(url, world.app.bob)
        try await SharedPair.accept(url, world.app.bob)
        try await world.bob.save(world.child("theirs", in: world.shared))
        let share = try #require(try await world.ada.record(for: world.share.recordID) as? CKShare)
        #expect(share.oneTimeURL(for: somebody.participantID) == nil)
        let claimed = try #require(share.participants.first { $0 == somebody })
        #expect(claimed.userIdentity.userRecordID == (try await world.app.bob.userRecordID()))
        // It leads where the share's own link leads, for them.
        try await SharedPair.accept(share.url, world.app.bob)
    }

    @Test("Requests for access", arguments: Door.allCases)
    func accessRequests(door: Door) async throws {
        let world = try await SharedPair.open(door, nil)
        let url = try #require(world.share.url)
        func current() async throws -> CKShare {
            try #require(try await world.ada.record(for: world.share.recordID) as? CKShare)
        }
        _ = try await world.app.bob.requestShareAccess(for: [url]).mapValues { try $0.get() }
        #expect(try await current().requesters.isEmpty)
        world.share.allowsAccessRequests = true
        try await world.ada.save(world.share)
        let operation = CKShareRequestAccessOperation(shareURLs: [url])
        nonisolated(unsafe) var told: [Result<Void, any Error>] = []
        operation.perShareAccessRequestResultBlock = { told.append($1) }
        await end(of: operation) { _ in world.app.bob.add(operation) }
        #expect(told.count == 1 && told.allSucceeded())
        var share = try await current()
        let requester = try #require(share.requesters.first)
        share.denyRequesters([requester])
        try await world.ada.save(share)
        #expect(try await current().requesters.isEmpty)
        _ = try await world.app.bob.requestShareAccess(for: [url])
        share = try await current()
        let bob = try await world.app.alice.shareParticipants(for: [requester.participantLookupInfo]).values.first
        share.addParticipant(try #require(try bob?.get()))
        try await world.ada.save(share)
        #expect(share.requesters.isEmpty && share.participants[1].isApprovedRequester)
        try await SharedPair.accept(url, world.app.bob)
        share = try await current()
        share.blockRequesters([requester])
        try await world.ada.save(share)
        #expect(share.blockedIdentities.count == 1 && share.participants.count == 1)
        #expect(await code { _ = try await world.bob.record(for: world.bobs("root")) } == .zoneNotFound)
        _ = try await world.app.bob.requestShareAccess(for: [url])
        share = try await current()
        #expect(share.requesters.isEmpty)
        share.unblockIdentities(share.blockedIdentities)
        try await world.ada.save(share)
        #expect(try await current().blockedIdentities.isEmpty)
    }

    @Test("Who may ask is for the owner to say, and the server sees to that", arguments: Door.allCases)
    func accessRequestsOfAParticipant(door: Door) async throws {
        let world = try await SharedPair.open(door)
        let share = try #require(try await world.bob.record(for: world.share.recordID.in(world.shared)) as? CKShare)
        share.allowsAccessRequests = true
        #expect(share.allowsAccessRequests)
        #expect(await code { try await world.bob.save(share) } == .permissionFailure)
        let stored = try #require(try await world.ada.record(for: world.share.recordID) as? CKShare)
        #expect(!stored.allowsAccessRequests)
    }

    @Test("A share that lost its owner is refused before any network, and the server's stays", arguments: Door.allCases)
    func withoutItsOwner(door: Door) async throws {
        let world = try await SharedPair.open(door)
        let share = world.share
        let owner = share.owner
        share.removeParticipant(owner)
        #expect(share.owner.participantID == owner.participantID, "it is the server's all the same")
        let error = await #expect(throws: CKError.self) { try await world.ada.save(share) }
        #expect(error?.code == .invalidArguments)
        #expect(error?.localizedDescription.hasSuffix("cannot be without its owner.") == true)
        nonisolated(unsafe) var isAsked = false
        let nowhere = CKContainer(
            identifier: "iCloud.org.example.nowhere", transport: NoTransport(asked: { isAsked = true }),
            keyStore: MemoryKeyStore())
        #expect(await code { try await nowhere.privateCloudDatabase.save(share) } == .invalidArguments)
        #expect(!isAsked)
        let new = CKShare(rootRecord: note("other", in: world.zoneID))
        new.participants[0].role = .privateUser
        #expect(await code { try await world.ada.save(new) } == .invalidArguments)
        let stored = try #require(try await world.ada.record(for: share.recordID) as? CKShare)
        #expect(stored.owner.participantID == owner.participantID && stored.participants.count == 2)
    }

    // MARK: - Operations

    @Test("The operations, and the blocks from before results", arguments: Door.allCases)
    func operations(door: Door) async throws {
        let world = try await SharedPair.open(door, accepts: false)
        let url = try #require(world.share.url)
        let nowhere = url.deletingLastPathComponent().appendingPathComponent("nothing")
        nonisolated(unsafe) var metadatas: [CKShare.Metadata] = []
        nonisolated(unsafe) var errors: [(any Error)?] = []
        let fetch = CKFetchShareMetadataOperation(shareURLs: [url, nowhere])
        fetch.perShareMetadataBlock = { _, metadata, _ in if let metadata { metadatas.append(metadata) } }
        fetch.fetchShareMetadataCompletionBlock = { errors.append($0) }
        await end(of: fetch) { _ in world.app.bob.add(fetch) }
        let partial = try #require(errors.first as? CKError)
        #expect(partial.code == .partialFailure && metadatas.count == 1)
        #expect((partial.partialErrorsByItemID?[nowhere] as? CKError)?.code == .unknownItem)
        let accept = CKAcceptSharesOperation(shareMetadatas: metadatas)
        nonisolated(unsafe) var accepted: [Result<CKShare, any Error>] = []
        nonisolated(unsafe) var whole: Result<Void, any Error>?
        accept.perShareResultBlock = { accepted.append($1) }
        accept.acceptSharesResultBlock = { whole = $0 }
        await end(of: accept) { _ in world.app.bob.add(accept) }
        #expect(accepted.count == 1 && accepted.allSucceeded() && whole?.isSuccess == true)
        let people = CKFetchShareParticipantsOperation(
            userIdentityLookupInfos: [.init(emailAddress: "carol@example.org"), .init(emailAddress: "")])
        nonisolated(unsafe) var found: [CKUserIdentity.LookupInfo: Result<CKShare.Participant, any Error>] = [:]
        people.perShareParticipantResultBlock = { found[$0] = $1 }
        await end(of: people) { _ in world.app.alice.add(people) }
        #expect(found[.init(emailAddress: "")]?.code == .invalidArguments)
        let carol = try #require(try found[.init(emailAddress: "carol@example.org")]?.get())
        #expect(carol.userIdentity.lookupInfo?.emailAddress == "carol@example.org" && carol.permission == .readOnly)
    }

    @Test func aShareOfAnotherContainer() async throws {
        let world = try await SharedPair.open(.inProcess, accepts: false)
        let metadata = try await world.app.bob.shareMetadata(for: try #require(world.share.url))
        let other = try await Door.inProcess.open()
        #expect(await code { try await other.bob.accept(metadata) } == .badContainer)
    }
}
