import StratusCloudModel
import StratusCloudStore

/// The value of a record for one sort key.
enum SortComponent: Hashable, Sendable {
    /// The record has no such value: behind all that have one, in either direction.
    case missing
    /// ``IndexValue/orderedBytes(_:)``, at most ``QueryLimits/sortedValueSize`` of them.
    case value([UInt8])
    /// Metres from the centre to the middle of the place's cell, and the cell: all records in one cell, about a
    /// centimetre wide, are equally far.
    case place(distance: Double, Cell)
}

/// The order of an answer: by the sort keys, then the zone's number, then the record name's bytes.
struct SortOrder: Sendable {
    let sorts: [ResolvedSort]

    func components(of record: StoredRecord) -> [SortComponent] {
        sorts.map { sort in
            guard let value = sort.field.scalar(of: record) else { return .missing }
            if let center = sort.center {
                guard case .location(let place) = value else { return .missing }
                return Self.place(Cell(place), from: center)
            }
            guard let bytes = IndexValue.orderedBytes(value) else { return .missing }
            return .value(Array(bytes.prefix(QueryLimits.sortedValueSize)))
        }
    }

    static func place(_ cell: Cell, from center: Location) -> SortComponent {
        let middle = cell.center
        let distance = Geodesic.distance(center.latitude, center.longitude, middle.latitude, middle.longitude)
        return .place(distance: distance, cell)
    }

    /// Compares the first components; the shorter of two that agree counts as equal.
    func compare(_ left: [SortComponent], _ right: [SortComponent]) -> Int {
        for level in 0..<min(left.count, right.count, sorts.count) {
            let order = Self.compare(left[level], right[level], ascending: sorts[level].ascending)
            if order != 0 { return order }
        }
        return 0
    }

    static func compare(_ left: SortComponent, _ right: SortComponent, ascending: Bool) -> Int {
        switch (left, right) {
        case (.missing, .missing): return 0
        case (.missing, _): return 1
        case (_, .missing): return -1
        case (.value(let a), .value(let b)):
            let order = ByteOrder.compare(a, b)
            return ascending ? order : -order
        case (.place(let a, let cell), .place(let b, let other)):
            if a != b { return a < b ? -1 : 1 }
            return cell == other ? 0 : cell < other ? -1 : 1
        // Positions are checked against the sort keys before use, so that these never meet.
        case (.value, .place): return -1
        case (.place, .value): return 1
        }
    }
}

/// A place between the records of one zone in a sorted answer.
struct SortedPosition: Hashable, Sendable {
    enum Tail: Hashable, Sendable {
        /// Before all records that begin with the components.
        case start
        /// Behind this record; there are components for all sort keys.
        case after(String)
        /// Behind all records that begin with the components.
        case end
    }

    var components: [SortComponent]
    var tail: Tail

    /// Whether a record comes behind this place.
    func precedes(_ components: [SortComponent], _ name: String, in order: SortOrder) -> Bool {
        let difference = order.compare(self.components, components)
        if difference != 0 { return difference < 0 }
        switch tail {
        case .start: return true
        case .end: return false
        case .after(let last): return ByteOrder.precedes(last, name)
        }
    }
}

/// A record that satisfies a query's filters, with what decides its place.
struct SortedRecord: Sendable {
    let components: [SortComponent]
    let record: FoundRecord

    var position: SortedPosition {
        SortedPosition(components: components, tail: .after(record.stored.recordName))
    }

    func precedes(_ other: SortedRecord, in order: SortOrder) -> Bool {
        let difference = order.compare(components, other.components)
        guard difference == 0 else { return difference < 0 }
        return ByteOrder.precedes(record.stored.recordName, other.record.stored.recordName)
    }
}

/// The first records in order of many that come in any order; keeps few more than are wanted, and than a page may hold.
struct FirstRecords {
    let order: SortOrder
    let count: Int
    /// Records beyond those wanted that are kept before a cut, which sorts.
    private static let slack = 100
    private var kept: [SortedRecord] = []
    /// Bytes after which a page is full.
    private let bytes: Int
    private var size = 0

    init(_ count: Int, bytes: Int, in order: SortOrder) {
        self.count = count
        self.bytes = bytes
        self.order = order
    }

    mutating func insert(_ record: SortedRecord) {
        kept.append(record)
        size += record.record.size
        if kept.count >= 2 * count + Self.slack || size >= 3 * bytes { cut() }
    }

    mutating func sorted() -> [SortedRecord] {
        cut()
        return kept
    }

    private mutating func cut() {
        kept.sort { $0.precedes($1, in: order) }
        if kept.count > count { kept.removeLast(kept.count - count) }
        size = 0
        for (index, kept) in kept.enumerated() {
            size += kept.record.size
            if size >= bytes {
                // The page ends with this record.
                self.kept.removeLast(self.kept.count - index - 1)
                break
            }
        }
    }
}
