import Foundation
import StratusCoreDataMirroring

// The state of a mirrored store as text.
extension MirrorReport {
    static func text(_ overview: MirrorOverview) -> String {
        var lines = TextTable.lines([
            ["store", overview.store], ["account", TerminalText.shown(overview.account ?? "nobody yet")],
            ["history", history(overview)],
            ["database", fetched(overview.databaseToken ?? overview.publicFeed?.token)],
        ])
        lines += queried(overview.publicFeed)
        for zone in overview.zones { lines += [""] + text(zone, isPublic: overview.publicFeed != nil) }
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

    private static func queried(_ feed: MirrorOverview.PublicFeed?) -> [String] {
        (feed?.queryDates ?? [:]).sorted { $0.key < $1.key }.map { type, date in
            TerminalText.shown("records of the type \(type) were queried up to \(DateText.text(date))")
        }
    }

    /// - Parameter isPublic: Whether the zone is that of a public database, which is not fetched by itself.
    private static func text(_ zone: MirrorOverview.Zone, isPublic: Bool) -> [String] {
        let state = [
            zone.isSaved ? nil : "the cloud is not known to have it",
            zone.isListing ? "is fetched from its beginning" : nil, zone.isBehind ? "has changes to fetch" : nil,
        ].compactMap(\.self)
        let refused = zone.refused == 0 ? "" : "; \(zone.refused) of these were refused"
        var lines = [
            "zone \(TerminalText.shown(zone.name))" + (state.isEmpty ? "" : " (\(state.joined(separator: ", ")))")
        ]
        lines += TextTable.lines(
            [
                ["  holds", "\(zone.objects) objects, \(zone.links) links"],
                ["  waiting", "\(zone.saves) to be saved, \(zone.deletions) to be deleted\(refused)"],
            ] + (isPublic ? [] : [["  changes", fetched(zone.token)]])
                + (zone.share.map { [["  share", text($0)]] } ?? []))
        if zone.formers > 0 {
            lines.append("  \(zone.formers) records that moved objects have left behind wait to be deleted")
        }
        if zone.references > 0 {
            lines.append("  \(zone.references) references wait for records that have not arrived")
        }
        return lines
    }

    private static func text(_ share: MirrorOverview.Share) -> String {
        guard share.isSaved else { return "waits to be saved" }
        return TerminalText.shown("\(share.title ?? "without a title"), \(share.participants) participants")
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
