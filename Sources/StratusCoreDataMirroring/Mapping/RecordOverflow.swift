import Foundation

/// The choice of values that are sent as assets, because the record would be too large with them.
enum RecordOverflow {
    /// The most bytes that the values of a record take. Less than ``ModelLimits/recordSize``, because keys and references
    /// take some, too.
    static let inlineSize = 900_000

    /// Returns the names of the fields whose values are sent as assets: the largest ones, until the others fit.
    static func fields(of row: MirroredRow, _ entity: MirroredEntity) -> Set<String> {
        var size = row.values.values.reduce(0) { $0 + $1.size }
        guard size > inlineSize else { return [] }
        let candidates = entity.fields.compactMap { field -> (name: String, size: Int)? in
            guard field.assetKey != nil, let value = row.values[field.name] else { return nil }
            return (field.name, value.size)
        }
        var chosen: Set<String> = []
        for candidate in candidates.sorted(by: { ($1.size, $0.name) < ($0.size, $1.name) }) where size > inlineSize {
            chosen.insert(candidate.name)
            size -= candidate.size
        }
        return chosen
    }
}
