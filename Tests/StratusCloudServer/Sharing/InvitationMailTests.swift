import Foundation
import StratusCloudModel
import StratusCloudService
import StratusCloudStore
import StratusWaiting
import Testing

@testable import StratusCloudServer

/// The queue of invitations by e-mail, with a mail server that does as the test says.
@Suite struct InvitationMailTests {
    private let bob = "bob@example.org"

    private func participants(_ place: SharePlace, _ guid: String) async throws -> [String] {
        let results = try await place.cloud.service.resolveShareLinks(
            [ShareLinkRequest(shortGUID: guid)], as: try await place.caller(SharePlace.owner))
        guard case .link(let link)? = results.first else { return [] }
        return link.value.share.shareDetails?.value.participants.filter { $0.role != .owner }.map(\.participantID) ?? []
    }

    private func place(_ postman: Postman, perDay: Int = 100) async throws -> SharePlace {
        try await SharePlace(mail: MailService(channel: postman, perUserAndDay: perDay))
    }

    private func send(_ place: SharePlace, _ guid: String) async throws {
        try await place.cloud.service.sendInvitations(
            of: guid, to: try await participants(place, guid), as: try await place.caller(SharePlace.owner))
        await place.cloud.service.deliverMail()
        try await place.settled { $0.delivered + $0.refused + $0.postponed + $0.withdrawn + $0.expired > 0 }
    }

    @Test func thePageInvitesAndSendsAgain() async throws {
        let postman = Postman()
        let place = try await place(postman)
        let guid = try await place.share("Trip").shortGUID
        let owner = try await place.browser(SharePlace.owner)
        #expect(try await owner.open(guid).body.contains("name=\"mail\""))
        let quiet = [("email", "eve@example.org"), ("permission", "READ_ONLY")]
        #expect(try await owner.submit(guid, "invite", quiet)["Location"]?.hasSuffix("done=invited") == true)
        let loud = [("email", bob), ("permission", "READ_WRITE"), ("mail", "on")]
        #expect(try await owner.submit(guid, "invite", loud)["Location"]?.hasSuffix("done=mailed") == true)
        try await place.settled { $0.delivered == 1 }
        let mail = try #require(postman.given.first)
        #expect(
            mail.address == bob && mail.shortGUID == guid && mail.title == "Trip" && mail.ownerName == "Ada Lovelace")
        #expect(mail.permission == .readWrite)
        #expect(mail.expires == TestCloud.start + ShareLimits.invitationLifetime)
        let id = try #require(try await participants(place, guid).last)
        #expect(try await owner.submit(guid, "mail", [("participant", id)]).status == 303)
        try await place.settled { $0.delivered == 2 }
        #expect(place.cloud.service.mailStatistics().queued == 0)
        await place.cloud.stop()
    }

    @Test func withoutAMailServerNobodyIsToldOfOne() async throws {
        let place = try await SharePlace()
        let guid = try await place.share(with: [SharePlace.invitation(bob)]).shortGUID
        let owner = try await place.browser(SharePlace.owner)
        #expect(!(try await owner.open(guid).body.contains("name=\"mail\"")))
        let refused = try await owner.submit(guid, "mail", [("participant", try await participants(place, guid)[0])])
        #expect(refused.status == 400 && refused.body.contains("sends no e-mail"))
        await place.cloud.stop()
    }

    @Test func isTriedAgainWithGrowingPausesAndGivenUp() async throws {
        let postman = Postman()
        let place = try await place(postman)
        let guid = try await place.share(with: [SharePlace.invitation(bob)]).shortGUID
        postman.refuse()
        try await send(place, guid)
        #expect(postman.given.count == 1)
        var attempts = 1
        for minutes: Int64 in [1, 5, 15, 60, 60] {
            place.cloud.advance(minutes: minutes - 1)
            await place.cloud.service.deliverMail()
            #expect(postman.given.count == attempts, "too early after \(minutes) minutes")
            place.cloud.advance(minutes: 1)
            await place.cloud.service.deliverMail()
            attempts += 1
            #expect(postman.given.count == attempts)
        }
        #expect(place.cloud.service.mailStatistics().queued == 1)
        place.cloud.advance(minutes: MailLimits.lifetime / 60_000)
        await place.cloud.service.deliverMail()
        let statistics = place.cloud.service.mailStatistics()
        #expect(statistics.queued == 0 && statistics.expired == 1 && statistics.delivered == 0)
        await place.cloud.stop()
    }

    @Test func survivesARestart() async throws {
        let store = MemoryStore()
        let postman = Postman()
        postman.answer(.unavailable(reason: "nobody is there"))
        let place = try await SharePlace(store: store, mail: MailService(channel: postman))
        let guid = try await place.share(with: [SharePlace.invitation(bob)]).shortGUID
        try await send(place, guid)
        let clock = place.cloud.clock
        // Another server over the same data, a minute later. The first one, whose clock does not move, does not try again.
        let next = CloudService(
            store: store, secret: [UInt8](repeating: 7, count: 32),
            environment: ServiceEnvironment(now: { clock.withLock { $0 } + 60_000 }, random: .system, report: { _ in }))
        let other = Postman()
        try await next.startMail(other)
        await next.deliverMail()
        try await wait(for: "the mail to be delivered") { next.mailStatistics().delivered > 0 }
        #expect(other.given.map(\.address) == [bob] && other.given[0].id == postman.given[0].id)
        #expect(next.mailStatistics().queued == 0)
        await place.cloud.stop()
    }

    @Test func whatNoLongerStandsIsNotSent() async throws {
        let postman = Postman()
        let place = try await place(postman)
        let owner = try await place.browser(SharePlace.owner)
        for end in ["accepted", "removed", "stopped", "expired"] {
            let before = place.cloud.service.mailStatistics()
            postman.answer(.later(reason: "greylisted"))
            let guid = try await place.share(with: [SharePlace.invitation(bob)]).shortGUID
            try await place.cloud.service.sendInvitations(
                of: guid, to: try await participants(place, guid), as: try await place.caller(SharePlace.owner))
            try await place.settled { $0.postponed == before.postponed + 1 }
            let given = postman.given.count
            switch end {
            case "accepted": _ = try await place.browser(bob).submit(guid, "accept")
            case "removed":
                _ = try await owner.submit(guid, "remove", [("participant", try await participants(place, guid)[0])])
            case "stopped": _ = try await owner.submit(guid, "stop")
            default: place.cloud.advance(minutes: ShareLimits.invitationLifetime / 60_000)
            }
            place.cloud.advance(minutes: 1)
            await place.cloud.service.deliverMail()
            #expect(postman.given.count == given, "\(end)")
            #expect(place.cloud.service.mailStatistics().withdrawn == before.withdrawn + 1, "\(end)")
        }
        await place.cloud.stop()
    }

    /// Threat 43: who does not manage a share mails nobody about it.
    @Test func onlyWhoManagesTheShareSends() async throws {
        let postman = Postman()
        let place = try await place(postman)
        let guid = try await place.share(with: [SharePlace.invitation(bob, .readWrite)]).shortGUID
        let ids = try await participants(place, guid)
        let owner = try await place.caller(SharePlace.owner)
        for (person, code) in [(bob, CloudError.Code.accessDenied), ("eve@example.org", .accessDenied)] {
            let caller = try await place.caller(person)
            await #expect { try await place.cloud.service.sendInvitations(of: guid, to: ids, as: caller) } throws: {
                ($0 as? CloudError)?.code == code
            }
        }
        for (guid, id) in [(guid, "nobody"), ("nothing", ids[0])] {
            await #expect(throws: CloudError.self) {
                try await place.cloud.service.sendInvitations(of: guid, to: [id], as: owner)
            }
        }
        let tooMany = [String](repeating: ids[0], count: MailLimits.participantsPerRequest + 1)
        await #expect(throws: CloudError.self) {
            try await place.cloud.service.sendInvitations(of: guid, to: tooMany, as: owner)
        }
        #expect(postman.given.isEmpty && place.cloud.service.mailStatistics().queued == 0)
        await place.cloud.stop()
    }

    @Test func anAddressGetsSoManyADay() async throws {
        let postman = Postman()
        let place = try await place(postman)
        let guid = try await place.share(with: [SharePlace.invitation(bob)]).shortGUID
        let ids = try await participants(place, guid)
        let owner = try await place.caller(SharePlace.owner)
        for _ in 0..<MailLimits.perAddressAndDay {
            try await place.cloud.service.sendInvitations(of: guid, to: ids, as: owner)
        }
        await #expect { try await place.cloud.service.sendInvitations(of: guid, to: ids, as: owner) } throws: {
            ($0 as? CloudError)?.code == .throttled
        }
        place.cloud.advance(minutes: MailLimits.countingTime / 60_000)
        try await place.cloud.service.sendInvitations(of: guid, to: ids, as: owner)
        try await place.settled { $0.delivered == UInt64(MailLimits.perAddressAndDay + 1) }
        await place.cloud.stop()
    }
}
