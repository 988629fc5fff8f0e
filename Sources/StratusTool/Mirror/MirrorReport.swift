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
    var zones: [Zone]
    var events: [Event]

    init(_ overview: MirrorOverview) {
        store = overview.store
        account = overview.account
        history = History(noted: overview.position, last: overview.lastTransaction)
        databaseToken = overview.databaseToken
        zones = overview.zones.map { zone in
            Zone(
                zone: zone.name, owner: zone.owner, isSaved: zone.isSaved, isListing: zone.isListing,
                isBehind: zone.isBehind, token: zone.token, objects: zone.objects, links: zone.links,
                waitingSaves: zone.saves, waitingDeletions: zone.deletions, refused: zone.refused,
                waitingReferences: zone.references)
        }
        events = overview.events.map { event in
            Event(
                type: event.type, started: DateText.text(event.start), ended: event.end.map(DateText.text),
                succeeded: event.end != nil && event.error == nil, error: event.error)
        }
    }

    // MARK: - Text

    static func text(_ overview: MirrorOverview) -> String {
        var lines = TextTable.lines([
            ["store", overview.store], ["account", TerminalText.shown(overview.account ?? "nobody yet")],
            ["history", history(overview)], ["database", fetched(overview.databaseToken)],
        ])
        for zone in overview.zones { lines += [""] + text(zone) }
        guard !overview.events.isEmpty else { return lines.joined(separator: "\n") }
        lines += [""] + TextTable.lines(header: ["began", "event", "result"], overview.events.map(cells))
        return lines.joined(separator: "\n")
    }

    private static func history(_ overview: MirrorOverview) -> String {
        guard let last = overview.lastTransaction else { return "the store keeps none" }
        guard let position = overview.position else { return "not noted yet: all objects are compared next" }
        return position < last
            ? "noted up to save \(position) of \(last)" : "noted up to save \(position), which is the last one"
    }

    private static func fetched(_ token: String?) -> String {
        token.map { "fetched up to \(TerminalText.shown($0))" } ?? "not fetched yet"
    }

    private static func text(_ zone: MirrorOverview.Zone) -> [String] {
        let state = [
            zone.isSaved ? nil : "the cloud is not known to have it",
            zone.isListing ? "is fetched from its beginning" : nil, zone.isBehind ? "has changes to fetch" : nil,
        ].compactMap(\.self)
        let refused = zone.refused == 0 ? "" : "; \(zone.refused) of these were refused"
        var lines = [
            "zone \(TerminalText.shown(zone.name))" + (state.isEmpty ? "" : " (\(state.joined(separator: ", ")))")
        ]
        lines += TextTable.lines([
            ["  holds", "\(zone.objects) objects, \(zone.links) links"],
            ["  waiting", "\(zone.saves) to be saved, \(zone.deletions) to be deleted\(refused)"],
            ["  changes", fetched(zone.token)],
        ])
        if zone.references > 0 {
            lines.append("  \(zone.references) references wait for records that have not arrived")
        }
        return lines
    }

    private static func cells(_ event: MirrorOverview.Event) -> [String] {
        let result: String =
            if let error = event.error {
                TerminalText.shown("failed: \(error)")
            } else if let end = event.end {
                String(format: "succeeded after %.3f s", end.timeIntervalSince(event.start))
            } else {
                "has not ended"
            }
        return [DateText.text(event.start), event.type, result]
    }
}
