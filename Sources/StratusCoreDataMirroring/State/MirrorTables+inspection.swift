import StratusCoreData
import StratusSQLite

/// The contents of a zone in numbers.
struct ZoneCounts: Sendable {
    var objects: Int64 = 0
    var links: Int64 = 0
    /// Objects and links that wait to be saved and to be deleted, and those among them that the server refused.
    var saves: Int64 = 0
    var deletions: Int64 = 0
    var refused: Int64 = 0
    /// References to records that have not arrived.
    var references: Int64 = 0
    /// Records that objects have left behind.
    var formers: Int64 = 0
}

// Questions about the state of a store, for people who look at it.
extension MirrorTables {
    /// Returns how much there is in a zone.
    func counts(in zone: Int64) throws -> ZoneCounts {
        var counts = ZoneCounts()
        for table in ["STRATUS_RECORD", "STRATUS_LINK"] {
            let (all, saves, deletions, refused) =
                try transaction.statement(
                    """
                    SELECT count(*), coalesce(sum(ZPENDING = 1), 0), coalesce(sum(ZPENDING = 2), 0),
                    coalesce(sum(ZPENDING != 0 AND ZREFUSED IS ZREVISION), 0) FROM \(table) WHERE ZZONE = ?
                    """
                ).first(zone) { ($0.integer(0) ?? 0, $0.integer(1) ?? 0, $0.integer(2) ?? 0, $0.integer(3) ?? 0) }
                ?? (0, 0, 0, 0)
            if table == "STRATUS_RECORD" { counts.objects = all } else { counts.links = all }
            counts.saves += saves
            counts.deletions += deletions
            counts.refused += refused
        }
        counts.references = try count("STRATUS_WAITING", in: zone)
        counts.formers = try count("STRATUS_FORMER", in: zone)
        return counts
    }

    private func count(_ table: String, in zone: Int64) throws -> Int64 {
        try transaction.statement("SELECT count(*) FROM \(table) WHERE ZZONE = ?").first(zone) { $0.integer(0) ?? 0 }
            ?? 0
    }
}
