import Foundation
import StratusCoreDataMirroring

/// The state of a mirrored store as it is printed.
struct MirrorReport: Encodable {
    struct History: Encodable {
        var noted: Int64?
        var last: Int64?
    }

    struct Zone: Encodable {
        var zone: String
        var owner: String
        var isSaved: Bool
        var isListing: Bool
        var isBehind: Bool
        var token: String?
        var objects: Int64
        var links: Int64
        var waitingSaves: Int64
        var waitingDeletions: Int64
        var refused: Int64
        var waitingReferences: Int64
        var leftBehind: Int64
        var share: Share?
    }

    struct Share: Encodable {
        var title: String?
        var isSaved: Bool
        var participants: Int
    }

    struct PublicFeed: Encodable {
        var token: String?
        var recordTypes: [String]
        /// As ISO 8601.
        var queriedUpTo: [String: String]
    }

    struct Event: Encodable {
        var type: String
        /// As ISO 8601.
        var started: String
        var ended: String?
        var succeeded: Bool
        var error: String?
    }

    var store: String
    var account: String?
    var history: History
    var databaseToken: String?
    var publicFeed: PublicFeed?
    var zones: [Zone]
    var events: [Event]

    init(_ overview: MirrorOverview) {
        store = overview.store
        account = overview.account
        history = History(noted: overview.position, last: overview.lastTransaction)
        databaseToken = overview.databaseToken
        publicFeed = overview.publicFeed.map { feed in
            PublicFeed(
                token: feed.token, recordTypes: feed.recordTypes, queriedUpTo: feed.queryDates.mapValues(DateText.text))
        }
        zones = overview.zones.map { zone in
            Zone(
                zone: zone.name, owner: zone.owner, isSaved: zone.isSaved, isListing: zone.isListing,
                isBehind: zone.isBehind, token: zone.token, objects: zone.objects, links: zone.links,
                waitingSaves: zone.saves, waitingDeletions: zone.deletions, refused: zone.refused,
                waitingReferences: zone.references, leftBehind: zone.formers,
                share: zone.share.map {
                    Share(title: $0.title, isSaved: $0.isSaved, participants: $0.participants)
                })
        }
        events = overview.events.map { event in
            Event(
                type: event.type, started: DateText.text(event.start), ended: event.end.map(DateText.text),
                succeeded: event.end != nil && event.error == nil, error: event.error)
        }
    }
}
