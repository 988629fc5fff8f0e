import StratusCloudModel
import StratusCloudStore

/// The records of one cell.
struct PlaceGroup {
    let cell: Cell
    let distance: Double
    /// nil: too many to list.
    var records: [IndexedRecord]?

    var component: SortComponent { .place(distance: distance, cell) }

    /// The cells in a ring, nearest first, or nil if more than `most` keys are in it.
    static func groups(
        in ring: CellCover, field: QueryableField, factory: DriverFactory, reader: QueryReader, most: Int
    ) throws -> [PlaceGroup]? {
        let chunk = reader.work.keysPerCell
        var groups: [PlaceGroup] = []
        var count = 0
        var isInRing = false
        var current: Cell?
        for cells in ring.ranges {
            var range = factory.range(of: cells, in: field)
            while !range.isEmpty {
                let entries = try reader.entries(in: range, limit: chunk)
                let found = entries.compactMap { IndexEntry($0, .cell) }
                for entry in found {
                    if entry.cell == current {
                        if isInRing { groups[groups.count - 1].records?.append(try entry.record()) }
                    } else {
                        let group = try PlaceGroup(entry, in: ring)
                        isInRing = group.distance >= ring.inner && group.distance < ring.outer
                        if isInRing { groups.append(group) }
                        current = entry.cell
                    }
                    count += isInRing ? 1 : 0
                }
                if count > most { return nil }
                guard entries.count == chunk, let first = found.first, let last = found.last else { break }
                if first.cell == last.cell {
                    if isInRing { groups[groups.count - 1].records = nil }
                    range.lower = last.prefix.afterAllWithThisPrefix
                } else {
                    range.lower = last.key.next
                }
            }
        }
        return groups.sorted { ($0.distance, $0.cell) < ($1.distance, $1.cell) }
    }

    private init(_ entry: IndexEntry, in ring: CellCover) throws {
        cell = entry.cell
        let middle = entry.cell.center
        distance = Geodesic.distance(ring.latitude, ring.longitude, middle.latitude, middle.longitude)
        records = [try entry.record()]
    }
}

/// Rings around a place, from the inside out, as wide as the records wanted need.
struct DistanceRings {
    private static let firstWidth = 1_000.0
    /// Metres under which a ring is read whatever is in it.
    private static let leastWidth = 0.01

    private let center: Location
    private let limit: Double
    private let wanted: Int
    private var inner: Double
    private var outer: Double

    init(from inner: Double, to limit: Double, center: Location, wanted: Int) {
        self.center = center
        self.limit = limit
        self.wanted = wanted
        self.inner = inner
        outer = min(limit, inner + max(Self.firstWidth, inner / 4))
    }

    /// All places at least `inner` and less than `outer` metres away; nil at the end.
    var next: CellCover? { inner < limit ? CellCover(center: center, inner: inner, outer: outer) : nil }

    var mayShrink: Bool { outer - inner > Self.leastWidth }

    /// Makes the next ring narrower: it had too many records.
    mutating func shrink() { outer = inner + (outer - inner) / 4 }

    /// Goes on to the next ring, of a size that suits how many were found in this one.
    mutating func advance(found: Int) {
        let ratio = min(max(1.5 * Double(wanted) / Double(max(found, 1)), 0.25), 16)
        let area = (outer * outer - inner * inner) * ratio
        inner = outer
        outer = min(limit, max((outer * outer + area).squareRoot(), outer + Self.leastWidth / 2))
    }
}
