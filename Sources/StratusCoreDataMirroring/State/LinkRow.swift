import StratusCloudKit

/// The state of a pair of a many-to-many relationship.
struct LinkRow: Sendable {
    /// The relationship from the first entity to the second, as in ``LinkedPair``.
    var relationship: String
    var zone: Int64
    /// The name of the record of the pair.
    var name: String
    /// The names of the records that are linked.
    var first: String
    var second: String
    var export = ExportState()
    /// Whether the objects are linked. The record of a pair may come before those of its objects.
    var isApplied: Bool
}

extension LinkRow {
    /// Makes the state of a link that was made here.
    init(_ pair: LinkedPair, zone: Int64) {
        self.init(
            relationship: pair.relationship, zone: zone, name: pair.recordName, first: pair.first,
            second: pair.second, isApplied: true)
    }

    /// Makes the state of a link whose record was fetched.
    init(_ pair: LinkedPair, _ record: CKRecord, zone: Int64) {
        self.init(
            relationship: pair.relationship, zone: zone, name: record.recordID.recordName, first: pair.first,
            second: pair.second, isApplied: false)
    }

    /// The records that are linked.
    var pair: LinkedPair { LinkedPair(relationship: relationship, first: first, second: second) }
}
