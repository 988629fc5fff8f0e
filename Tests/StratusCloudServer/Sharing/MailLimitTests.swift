import StratusCloudModel
import StratusCloudService
import StratusCloudStore
import Testing

@testable import StratusCloudServer
@testable import StratusCloudService

/// The limits of mail, on both sides of their edges. Where reaching them would take long, the store is brought there.
@Suite("Limits of mail") struct MailLimitTests {
    private func invitations(_ count: Int) -> [ShareParticipantInput] {
        (0..<count).map { SharePlace.invitation("p\($0)@example.org") }
    }

    private func participants(_ place: SharePlace, _ guid: String) async throws -> [String] {
        let results = try await place.cloud.service.resolveShareLinks(
            [ShareLinkRequest(shortGUID: guid)], as: try await place.caller(SharePlace.owner))
        guard case .link(let link)? = results.first else { return [] }
        return link.value.share.shareDetails?.value.participants.filter { $0.role != .owner }.map(\.participantID) ?? []
    }

    private func code(_ body: () async throws -> Void) async -> CloudError.Code? {
        do {
            try await body()
            return nil
        } catch {
            return (error as? CloudError)?.code
        }
    }

    @Test("100,000 mails wait, and not one more, whoever asks at the same time")
    func queueLength() async throws {
        let store = MemoryStore()
        let postman = Postman()
        postman.refuse()
        let free = 8
        try await store.write(.mail) { transaction in
            for index in 0..<MailLimits.queueLength - free {
                // Not before the test is over.
                let mail = StoredMail(.signUp(shortGUID: nil), to: "p@example.org", queued: TestCloud.start)
                transaction.set(MailKey.mail(due: .max, "m\(index)"), mail)
            }
        }
        let place = try await SharePlace(
            store: store, mail: MailService(channel: postman, perUserAndDay: MailLimits.queueLength))
        #expect(place.cloud.service.mailStatistics().queued == MailLimits.queueLength - free)
        let guid = try await place.share(with: invitations(free)).shortGUID
        let ids = try await participants(place, guid)
        let owner = try await place.caller(SharePlace.owner)
        let service = place.cloud.service
        // More at once than there is room for: as many come in as fit.
        let outcomes = await withTaskGroup(of: CloudError.Code?.self, returning: [CloudError.Code?].self) { group in
            for id in ids + ids {
                group.addTask {
                    await code { try await service.sendInvitations(of: guid, to: [id], as: owner) }
                }
            }
            return await group.reduce(into: []) { $0.append($1) }
        }
        #expect(outcomes.count { $0 == nil } == free && outcomes.count { $0 == .tryAgainLater } == free)
        #expect(service.mailStatistics().queued == MailLimits.queueLength)
        let waiting = try await store.read(.mail) { try $0.entries(in: MailKey.queue, limit: .max).count }
        #expect(waiting == MailLimits.queueLength)
        await place.cloud.stop()
    }

    @Test("What is refused for another reason takes no room")
    func refusedTakesNoRoom() async throws {
        let place = try await SharePlace(mail: MailService(channel: Postman(), perUserAndDay: 1))
        let guid = try await place.share(with: invitations(2)).shortGUID
        let ids = try await participants(place, guid)
        let owner = try await place.caller(SharePlace.owner)
        #expect(
            await code { try await place.cloud.service.sendInvitations(of: guid, to: ids, as: owner) } == .throttled)
        #expect(place.cloud.service.mailStatistics().queued == 0)
        // Named twice is once.
        #expect(
            await code {
                try await place.cloud.service.sendInvitations(of: guid, to: [ids[0], ids[0]], as: owner)
            } == nil)
        try await place.settled { $0.delivered == 1 }
        await place.cloud.stop()
    }

    @Test("One request sends 100 invitations, and one user as many as the operator says in a day")
    func participantsAndDays() async throws {
        // A share has 99 others at most, so one of them is named twice.
        let count = ModelLimits.participantsPerShare - 1
        let place = try await SharePlace(mail: MailService(channel: Postman(), perUserAndDay: count))
        let guid = try await place.share(with: invitations(count)).shortGUID
        let ids = try await participants(place, guid)
        let owner = try await place.caller(SharePlace.owner)
        let most = ids + [ids[0]]
        #expect(most.count == MailLimits.participantsPerRequest)
        let service = place.cloud.service
        #expect(
            await code { try await service.sendInvitations(of: guid, to: most + [ids[0]], as: owner) } == .badRequest)
        #expect(await code { try await service.sendInvitations(of: guid, to: most, as: owner) } == nil)
        #expect(await code { try await service.sendInvitations(of: guid, to: [ids[0]], as: owner) } == .throttled)
        place.cloud.advance(minutes: MailLimits.countingTime / 60_000 - 1)
        #expect(await code { try await service.sendInvitations(of: guid, to: [ids[0]], as: owner) } == .throttled)
        place.cloud.advance(minutes: 1)
        #expect(await code { try await service.sendInvitations(of: guid, to: [ids[0]], as: owner) } == nil)
        try await place.settled { $0.delivered == UInt64(count + 1) }
        await place.cloud.stop()
    }

    @Test("A request clears away 100 counts of days that are over")
    func countsPerStep() async throws {
        let store = MemoryStore()
        let place = try await SharePlace(store: store, mail: MailService(channel: Postman()))
        let guid = try await place.share(with: invitations(1)).shortGUID
        let ids = try await participants(place, guid)
        try await store.write(.mail) { transaction in
            for index in 0...MailLimits.countsPerStep {
                transaction.set(
                    MailKey.count("former \(index)"), MailCount(since: TestCloud.start - MailLimits.countingTime))
            }
        }
        let owner = try await place.caller(SharePlace.owner)
        for former in [1, 0] {
            try await place.cloud.service.sendInvitations(of: guid, to: ids, as: owner)
            let counts = try await store.read(.mail) { transaction in
                try transaction.entries(in: MailKey.counts, limit: .max).map { try MailCount(stored: $0.value) }
            }
            #expect(counts.count { $0.since < TestCloud.start } == former)
        }
        try await place.settled { $0.delivered == 2 }
        await place.cloud.stop()
    }
}
