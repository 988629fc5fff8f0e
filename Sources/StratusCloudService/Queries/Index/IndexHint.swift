import StratusCloudModel
import StratusCloudStore

/// Where a record lay when an index entry was written.
///
/// An entry that an update leaves as it is keeps its hint, so a hint is never the truth. But versions are unique in a
/// zone and a record lies under its latest one only: if anything lies under the version of a hint, it is the record as
/// it is now.
enum IndexHint {
    /// Closes the presence in an entry of a ``TypeIndex``, in which it cannot occur.
    static let mark: UInt8 = 0

    /// The value of an entry.
    static func value(_ version: UInt64) -> [UInt8] {
        var writer = ByteWriter(capacity: 10)
        writer.write(unsigned: version)
        return writer.bytes
    }

    /// The hint of an entry, nil if it has none.
    static func version(in value: [UInt8], _ layout: IndexEntry.Layout) throws -> UInt64? {
        guard !value.isEmpty else { return nil }
        return try ByteReader.read(value) { reader in
            guard layout == .type else { return try reader.unsigned() }
            while !reader.isAtEnd {
                if try reader.unsigned() == UInt64(mark) { return try reader.unsigned() }
            }
            return nil
        }
    }
}

/// A record that an index tells of.
struct IndexedRecord: Hashable, Sendable {
    let name: String
    /// See ``IndexHint``.
    let hint: UInt64?
}
