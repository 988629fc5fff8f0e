/// Writes in the order made, in which the latest one of a key is found; nil clears.
///
/// Where little is looked up, as in a transaction that has done its reading before it writes, they are only collected.
/// Else a table tells where the latest write of each key stands: a group of transactions, each of which looks at what
/// those before it wrote, need not be in order before its end.
struct RecentWrites: Sendable {
    typealias Write = (key: Key, value: [UInt8]?)

    /// Keys that are looked for write by write before the table is made.
    private static var mostSearches: Int { 8 }

    private(set) var all: [Write] = []
    private var searches = 0
    /// Where the latest write of each key stands among the first ``tabled``.
    private var places: [Key: Int] = [:]
    private var tabled = 0

    var isEmpty: Bool { all.isEmpty }

    mutating func append(_ key: Key, _ value: [UInt8]?) { all.append((key, value)) }

    mutating func append(_ later: RecentWrites) {
        if all.isEmpty { all = later.all } else { all.append(contentsOf: later.all) }
    }

    /// The latest value, nil if it was cleared; nil around that if the key was not written.
    mutating func value(of key: Key) -> [UInt8]?? {
        guard !all.isEmpty else { return nil }
        searches += 1
        guard searches > Self.mostSearches else {
            guard let write = all.last(where: { $0.key == key }) else { return nil }
            return .some(write.value)
        }
        fillTable()
        guard let place = places[key] else { return nil }
        return .some(all[place].value)
    }

    private mutating func fillTable() {
        guard tabled < all.count else { return }
        places.reserveCapacity(all.count)
        for place in tabled..<all.count { places[all[place].key] = place }
        tabled = all.count
    }
}
