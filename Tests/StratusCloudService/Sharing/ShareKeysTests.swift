import StratusCloudModel
import Testing

@testable import StratusCloudService

/// What devices keep with a share for encrypted values: who reads and writes it, how much there may be, and that the service
/// holds saves to it.
@Suite("Keys of shares") struct ShareKeysTests {
    private struct World {
        let cloud: TestCloud
        let owner: Caller
        let writer: Caller
        let reader: Caller
        let invited: Caller
        let zone: ZoneID

        init() async throws {
            cloud = try await TestCloud()
            (owner, writer) = (cloud.user("a"), cloud.user("b"))
            (reader, invited) = (cloud.user("c"), cloud.user("d"))
            zone = ZoneID(zoneName: "Notes", ownerRecordName: owner.authorRecordName)
            try await cloud.makeZone("Notes")
            let saved = try await cloud.modify(
                [.make(.create, "root"), .make(.create, "other"), try share([writer, reader, invited])], zone: "Notes")
            #expect(saved.allSatisfy { $0.saved != nil }, "\(saved)")
            let guid = try #require(saved.last?.saved?.shortGUID)
            for person in [writer, reader] {
                let accepted = try await cloud.service.acceptShareLinks(
                    [ShareLinkRequest(shortGUID: guid)], as: person)
                guard case .link? = accepted.first else { throw CloudError(.internalError, "\(accepted)") }
            }
        }

        func share(_ people: [Caller], tag: String? = nil) throws -> RecordOperation {
            var input = ShareInput()
            input.forRecord = ShareInput.Root(recordName: "root")
            input.participants = people.map {
                ShareParticipantInput(
                    lookup: .userRecordName($0.authorRecordName),
                    permission: $0.authorRecordName == reader.authorRecordName ? .readOnly : .readWrite)
            }
            return RecordOperation(
                tag == nil ? .create : .update,
                RecordInput(
                    recordName: "S", recordType: SystemRecordType.share, recordChangeTag: tag, share: Boxed(input)))
        }

        func scope(_ caller: Caller) -> DatabaseScope {
            caller.authorRecordName == owner.authorRecordName ? .private : .shared
        }

        func keys(as caller: Caller, _ names: [String] = ["root"]) async throws -> SharesAnswer {
            try await cloud.service.shares(
                SharesRequest(zoneID: zone, recordNames: names), in: scope(caller), as: caller)
        }

        @discardableResult
        func write(_ change: ShareKeysUpdate.Change, as caller: Caller) async throws -> ShareKeys? {
            try await cloud.service.updateShareKeys(
                ShareKeysUpdate(zoneID: zone, shareName: "S", change: change), in: scope(caller), as: caller
            ).shares.first
        }

        /// Saves with a claim; the error that the whole request ends with.
        func save(
            _ name: String, below parent: String? = nil, _ claim: (share: String?, tag: String?), as caller: Caller
        ) async throws -> CloudError? {
            var input = RecordInput(recordName: name, recordType: "Note")
            input.parent = parent.map { Reference(recordName: $0) }
            let request = ModifyRecordsRequest(
                operations: [RecordOperation(.forceUpdate, input)], zoneID: zone,
                encryptedFor: [
                    EncryptionClaim(recordNames: [name], shareName: claim.share, keyTag: claim.tag)
                ])
            do {
                return try await cloud.service.modifyRecords(request, in: scope(caller), as: caller).first?.error
            } catch {
                return error
            }
        }

        /// Leaves only these among the participants.
        func keep(_ people: [Caller]) async throws {
            let found = try await cloud.lookup(["S"], zone: "Notes").first?.saved
            let results = try await cloud.modify(
                [try share(people, tag: try #require(found).recordChangeTag)], zone: "Notes")
            #expect(results.first?.saved != nil, "\(results)")
        }
    }

    private func code(_ body: () async throws -> Void) async -> CloudError.Code? {
        do {
            try await body()
            return nil
        } catch {
            return (error as? CloudError)?.code
        }
    }

    @Test func everybodySeesAndWritesTheirOwn() async throws {
        let world = try await World()
        let keys = try #require(try await world.write(.keys(envelope: [1], over: "0", handovers: []), as: world.owner))
        #expect(keys.envelope == [1] && keys.state == .current && keys.keyTag != "0")
        try await world.write(.proof([2]), as: world.writer)
        try await world.write(.proof([3]), as: world.reader)
        let members = try #require(try await world.keys(as: world.owner).shares.first).members
        #expect(members.map(\.proof) == [[2], [3]])
        let ids = Dictionary(members.map { ($0.userRecordName ?? "", $0.participantID) }) { first, _ in first }
        let handovers = try [world.writer, world.reader].enumerated().map { index, person in
            ShareKeysUpdate.Handover(
                participantID: try #require(ids[person.authorRecordName]), bytes: [UInt8(index)])
        }
        try await world.write(.keys(envelope: [4], over: keys.keyTag, handovers: handovers), as: world.owner)
        for (index, person) in [world.writer, world.reader].enumerated() {
            let own = try #require(try await world.keys(as: person).shares.first)
            #expect(own.envelope == [4] && own.members.count == 1)
            #expect(own.members.first?.handover == [UInt8(index)], "their own and nobody else's")
            #expect(own.members.first?.userRecordName == person.authorRecordName)
        }
        // Nobody writes what is another's.
        #expect(
            await code { try await world.write(.keys(envelope: [9], over: "0", handovers: []), as: world.writer) }
                == .accessDenied)
        #expect(await code { try await world.write(.proof([9]), as: world.owner) } == .accessDenied)
        // Who has not come in, and who never could.
        let key = Caller(context: world.cloud.context, principal: .serverToServer("k"))
        for (stranger, expected) in [
            (world.invited, CloudError.Code.zoneNotFound), (world.cloud.user("e"), .zoneNotFound),
            (world.cloud.anonymous, .authenticationRequired), (key, .accessDenied),
        ] {
            #expect(await code { _ = try await world.keys(as: stranger) } == expected)
            #expect(await code { try await world.write(.proof([9]), as: stranger) } == expected)
            #expect(
                await code { try await world.write(.keys(envelope: [9], over: "0", handovers: []), as: stranger) }
                    == expected)
        }
        #expect(
            await code {
                _ = try await world.cloud.service.shares(
                    SharesRequest(zoneID: world.zone, recordNames: ["root"]), in: .public, as: world.owner)
            } == .badRequest)
        // Removed, and what was theirs is gone with them.
        try await world.keep([world.reader])
        #expect(await code { _ = try await world.keys(as: world.writer) } == .zoneNotFound)
        #expect(await code { try await world.write(.proof([9]), as: world.writer) } == .zoneNotFound)
        let now = try #require(try await world.keys(as: world.owner).shares.first)
        #expect(now.members.map(\.proof) == [[3]] && now.state == .revoked)
    }

    @Test func limitsAndTags() async throws {
        let world = try await World()
        let size = ModelLimits.shareEnvelopeSize
        let keys = try #require(
            try await world.write(
                .keys(envelope: [UInt8](repeating: 1, count: size), over: "0", handovers: []), as: world.owner))
        for envelope in [[UInt8](repeating: 1, count: size + 1), []] {
            #expect(
                await code {
                    try await world.write(.keys(envelope: envelope, over: keys.keyTag, handovers: []), as: world.owner)
                } == .badRequest)
        }
        let proof = [UInt8](repeating: 1, count: ModelLimits.shareKeySize)
        try await world.write(.proof(proof), as: world.writer)
        #expect(await code { try await world.write(.proof(proof + [1]), as: world.writer) } == .badRequest)
        let id = try #require(try await world.keys(as: world.owner).shares.first?.members.first?.participantID)
        for (handover, expected) in [
            (ShareKeysUpdate.Handover(participantID: id, bytes: proof + [1]), CloudError.Code.badRequest),
            (ShareKeysUpdate.Handover(participantID: "nobody", bytes: [1]), .notFound),
        ] {
            #expect(
                await code {
                    try await world.write(
                        .keys(envelope: [1], over: keys.keyTag, handovers: [handover]), as: world.owner)
                } == expected)
        }
        #expect(
            await code { try await world.write(.keys(envelope: [1], over: "0", handovers: []), as: world.owner) }
                == .conflict)
        #expect(
            await code {
                _ = try await world.keys(
                    as: world.owner,
                    (0...ModelLimits.operationsPerRequest).map { "r\($0)" })
            } == .badRequest)
        #expect(
            try await world.keys(as: world.owner, ["root", "S", "other", "never"]).shareNames
                == ["root": "S", "S": "S"])
        try await world.write(.keys(envelope: [2], over: keys.keyTag, handovers: []), as: world.owner)
    }

    @Test func savesAreHeldToTheKeys() async throws {
        let world = try await World()
        let keys = try #require(try await world.write(.keys(envelope: [1], over: "0", handovers: []), as: world.owner))
        for person in [world.owner, world.writer] {
            #expect(try await world.save("x", below: "root", ("S", keys.keyTag), as: person) == nil)
            for (share, tag) in [(nil, nil), ("S", "0"), ("S", nil), ("other", keys.keyTag)] as [(String?, String?)] {
                let error = try await world.save("x", below: "root", (share, tag), as: person)
                #expect(error?.extensionCode == .encryptionKeysChanged, "\(share ?? "-") \(tag ?? "-")")
            }
        }
        #expect(try await world.save("other", (nil, nil), as: world.owner) == nil)
        let error = try await world.save("other", ("S", keys.keyTag), as: world.owner)
        #expect(error?.extensionCode == .encryptionKeysChanged)
        // What moves is held to where it comes.
        #expect(
            try await world.save("other", below: "root", (nil, nil), as: world.owner)?.extensionCode
                == .encryptionKeysChanged)
        #expect(try await world.save("other", below: "root", ("S", keys.keyTag), as: world.owner) == nil)
        // From the commit of a removal on.
        try await world.keep([world.writer, world.invited])
        for person in [world.owner, world.writer] {
            let error = try await world.save("x", ("S", keys.keyTag), as: person)
            #expect(error?.extensionCode == .encryptionKeysRevoked)
        }
        let next = try #require(
            try await world.write(.keys(envelope: [2], over: keys.keyTag, handovers: []), as: world.owner))
        #expect(
            try await world.save("x", ("S", keys.keyTag), as: world.writer)?.extensionCode == .encryptionKeysChanged)
        #expect(try await world.save("x", ("S", next.keyTag), as: world.writer) == nil)
        // Who leaves stops nobody, and the end of sharing ends the keys.
        _ = try await world.cloud.service.modifyZones(
            [ZoneOperation(.delete, world.zone)], in: .shared, as: world.writer)
        #expect(try await world.keys(as: world.owner).shares.first?.state == .stale)
        #expect(try await world.save("x", ("S", next.keyTag), as: world.owner) == nil)
        _ = try await world.cloud.modify([.make(.forceDelete, "S", type: nil)], zone: "Notes")
        #expect(try await world.keys(as: world.owner) == SharesAnswer())
        #expect(try await world.save("x", (nil, nil), as: world.owner) == nil)
    }
}
