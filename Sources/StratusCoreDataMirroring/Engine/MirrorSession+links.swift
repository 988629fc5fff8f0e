import StratusCoreData

// The zones and the ends of links.
extension MirrorSession {
    /// Makes the links of an object that was deleted wait for the deletion of their records.
    func deleteLinks(of row: RecordRow) throws {
        for var link in try links(of: row) where link.export.pending != .delete {
            link.export.note(.delete)
            link.isApplied = false
            put(link)
        }
    }

    /// Returns the zone for the record of a link; nil if the link cannot be mirrored.
    func zone(linking one: RecordRow, _ other: RecordRow) -> Int64? {
        if one.zone == other.zone { return one.zone }
        // Other people do not need a link to something that is not shared.
        return rules.shareNames ? home?.number : nil
    }

    /// Whether the record of one object may name that of another one.
    func canName(_ target: RecordRow, in row: RecordRow) -> Bool { reaches(from: row.zone, to: target.zone) }
}
