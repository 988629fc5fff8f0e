import StratusCloudModel
import StratusCloudStore

/// Chooses which filter's index ranges to read.
struct QueryPlanner {
    let query: ResolvedQuery
    let zone: ZoneNumber
    let reader: QueryReader

    /// A driver, which of the query's it is, and how many keys it has if that was found out.
    struct Choice {
        let number: Int
        let driver: Driver
        /// nil: more than were counted.
        let size: Int?
    }

    /// All drivers in a fixed order, so that a marker can name one by its number.
    var drivers: [Driver] {
        let factory = DriverFactory(recordType: query.recordType, zone: zone)
        let drivers = query.filters.flatMap(factory.drivers)
        return drivers.isEmpty ? [.all(of: query.recordType, zone: zone)] : drivers
    }

    /// The smallest driver, found by reading a few keys of each; if all are large, the one that promises most.
    func choose() throws -> Choice {
        let drivers = drivers.enumerated().sorted {
            ($0.element.shape, $0.offset) < ($1.element.shape, $1.offset)
        }
        let probed = drivers.prefix(reader.work.probedRanges)
        if drivers.count > 1 || !query.sorts.isEmpty, !query.filters.isEmpty {
            for limit in reader.work.probes {
                if let choice = try smallest(of: probed.map { ($0.offset, $0.element) }, upTo: limit) { return choice }
            }
        }
        // There is always one: without filters it is the type's own.
        let first = drivers.first.map { ($0.offset, $0.element) } ?? (0, .all(of: query.recordType, zone: zone))
        return Choice(number: first.0, driver: first.1, size: nil)
    }

    /// The smallest driver, if one has at most `limit` keys.
    func choose(upTo limit: Int) throws -> Choice? {
        let probed = drivers.enumerated().prefix(reader.work.probedRanges).map { ($0.offset, $0.element) }
        return try smallest(of: probed, upTo: limit)
    }

    /// The smallest of those with at most `limit` keys.
    private func smallest(of drivers: [(Int, Driver)], upTo limit: Int) throws -> Choice? {
        var best: Choice?
        for (number, driver) in drivers {
            let most = (best?.size ?? limit + 1) - 1
            guard let size = try count(driver, upTo: most) else { continue }
            best = Choice(number: number, driver: driver, size: size)
            if size == 0 { break }
        }
        return best
    }

    /// How many keys a driver has, or nil if more than `limit`.
    func count(_ driver: Driver, upTo limit: Int) throws -> Int? {
        var count = 0
        for range in driver.ranges {
            count += try reader.entries(in: range, limit: limit + 1 - count).count
            if count > limit { return nil }
        }
        return count
    }
}
