import Foundation
import StratusCloudKit

/// The state of the mirroring of a store.
package struct MirrorOverview: Sendable {
    /// A zone of the cloud.
    package struct Zone: Sendable {
        package let name: String
        package let owner: String
        /// Whether the server has the zone, as far as is known.
        package let isSaved: Bool
        /// Whether the zone is fetched from its beginning.
        package let isListing: Bool
        /// The token of the last page that was fetched; nil before the first one.
        package let token: String?
        /// Whether there are changes that were not fetched.
        package let isBehind: Bool
        package let objects: Int64
        package let links: Int64
        /// Objects and links that wait to be saved, or to be deleted.
        package let saves: Int64
        package let deletions: Int64
        /// Those that wait because the server refused them.
        package let refused: Int64
        /// References to records that have not arrived.
        package let references: Int64
        /// Records that objects have left behind when they moved to other zones, and that wait to be deleted.
        package let formers: Int64
        /// The share of the zone; nil if the zone is not shared.
        package let share: Share?
    }

    /// The share of a zone.
    package struct Share: Sendable {
        package let title: String?
        /// Whether the server has the share, as far as is known. Otherwise it is being made.
        package let isSaved: Bool
        /// The number of the participants that the person may know, the owner included.
        package let participants: Int
    }

    /// The place up to which a public database is known.
    package struct PublicFeed: Sendable {
        /// The token of the last page of the feed; nil before the first one, and on servers without a feed.
        package let token: String?
        /// The record types that the token is about.
        package let recordTypes: [String]
        /// The modification dates up to which record types were queried on a server without a feed.
        package let queryDates: [String: Date]
    }

    /// An event of setup, import or export.
    package struct Event: Sendable {
        /// The kind: `setup`, `import` or `export`.
        package let type: String
        package let start: Date
        /// The end; nil if the event has not ended.
        package let end: Date?
        /// The domain, code and text of the error.
        package let error: String?

        init(_ row: EventRow) {
            type = NSPersistentCloudKitContainer.EventType(rawValue: Int(row.type))?.word ?? "\(row.type)"
            start = row.start
            end = row.end
            error = row.error.map { "\($0.domain) \($0.code), \($0.text)" }
        }
    }

    /// The identifier of the store.
    package let store: String
    package let account: String?
    /// The last transaction of the history that was noted; nil if all objects have to be compared.
    package let position: Int64?
    /// The last transaction of the history; nil for a store without a history.
    package let lastTransaction: Int64?
    package let databaseToken: String?
    /// The place in the public database; nil for a store of another one, and before the first fetch.
    package let publicFeed: PublicFeed?
    package let zones: [Zone]
    package let events: [Event]
}

extension MirrorOverview.Share {
    /// Reads the share of a zone; nil if the zone is not shared.
    init?(_ zone: ZoneRow) throws {
        let share = try zone.shareRecord()
        guard share != nil || zone.isDraft else { return nil }
        title = share?[CKShare.SystemFieldKey.title] as? String
        isSaved = share != nil
        participants = share?.participants.count ?? 0
    }
}

extension MirrorOverview.PublicFeed {
    init(_ state: PublicMirrorState) {
        self.init(token: state.token?.text, recordTypes: state.recordTypes, queryDates: state.dates)
    }
}
