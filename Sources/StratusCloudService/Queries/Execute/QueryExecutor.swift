import StratusCloudModel
import StratusCloudStore

/// A zone that a query looks into: its number in keys, and its name.
struct QueryZone: Hashable, Sendable {
    let number: ZoneNumber
    let id: ZoneID
}

/// One page that is asked for.
struct QueryInput: Sendable {
    var query: ResolvedQuery
    /// Zones that the caller may read, in any order.
    var zones: [QueryZone]
    /// Records wanted, from 1 on.
    var limit: Int
    /// Where the last page ended.
    var resume: QueryPosition?
    /// Through whose eyes; nil for those who see all. What they do not see is not there, and takes no place in a page.
    var view: ZoneView?
    var work = QueryWork()
}

/// One page.
struct QueryOutcome: Sendable {
    var records: [(zone: QueryZone, record: FoundRecord)]
    /// Where to go on, or nil if there is nothing more. With a position a page may be short or empty.
    var position: QueryPosition?
    var explanation: QueryExplanation
}

/// Answers queries from indexes. A page reads a bounded number of keys and records (``QueryLimits``), and each brings
/// the query forward.
enum QueryExecutor {
    /// - Throws: `BAD_REQUEST` if the position is not one of this query; what the engine throws.
    static func run(_ input: QueryInput, in transaction: any ReadTransaction) throws -> QueryOutcome {
        var input = input
        input.zones.sort { $0.number < $1.number }
        let looks = input.query.looks
        let reader = QueryReader(
            transaction, view: input.view, work: input.work,
            packsFields: looks.areSmall && looks.count <= input.work.looksAtPackedFields)
        return input.query.sorts.isEmpty ? try scan(input, reader) : try merge(input, reader)
    }

    private static let foreignPosition = CloudError(.badRequest, "The continuation marker belongs to another query")

    // MARK: - Without sort keys: zone after zone

    private static func scan(_ input: QueryInput, _ reader: QueryReader) throws -> QueryOutcome {
        var start: (number: Int, zone: ZoneNumber, key: Key?)?
        switch input.resume {
        case .driver(let number, let zone, let key)?: start = (number, zone, key)
        case .sorted?: throw foreignPosition
        case nil: break
        }
        var found: [(zone: QueryZone, record: FoundRecord)] = []
        // The end of the record before the last, which is only read to know whether there is more.
        var position: QueryPosition?
        var size = 0
        for zone in input.zones {
            if let start, zone.number < start.zone { continue }
            let isStart = start?.zone == zone.number
            let planner = QueryPlanner(query: input.query, zone: zone.number, reader: reader)
            let number = try isStart ? start?.number ?? 0 : planner.choose().number
            let drivers = planner.drivers
            guard drivers.indices.contains(number) else { throw foreignPosition }
            var scan = DriverScan(
                input.query, in: zone, by: drivers[number], after: isStart ? start?.key : nil,
                wanted: input.limit + 1 - found.count, reader: reader)
            let isComplete = try scan.run()
            for item in scan.records {
                if found.count == input.limit {
                    return outcome(found, position, reader)
                }
                found.append((zone, item.record))
                position = .driver(number, zone: zone.number, after: item.key)
            }
            size += scan.size
            if !isComplete {
                return outcome(found, .driver(number, zone: zone.number, after: scan.last), reader)
            }
            let isSpent = reader.keysRead >= reader.work.keysPerPage || size >= reader.work.bytesPerPage
            if isSpent, zone.number != input.zones.last?.number {
                return outcome(found, .driver(number, zone: zone.number, after: scan.driver.end), reader)
            }
        }
        return outcome(found, nil, reader)
    }

    private static func outcome(
        _ records: [(zone: QueryZone, record: FoundRecord)], _ position: QueryPosition?, _ reader: QueryReader
    ) -> QueryOutcome {
        QueryOutcome(
            records: records, position: position, explanation: reader.explanation(returning: records.count))
    }

    // MARK: - With sort keys: the zones' records merged

    private static func merge(_ input: QueryInput, _ reader: QueryReader) throws -> QueryOutcome {
        var merge: ZoneMerge
        switch input.resume {
        case .sorted(let position, let zone, let strategy)?:
            guard position.fits(input.query.sorts) else { throw foreignPosition }
            merge = ZoneMerge(input, from: MergedPosition(position: position, zone: zone), strategy, reader)
        case .driver?: throw foreignPosition
        case nil: merge = ZoneMerge(input, from: nil, .choose, reader)
        }
        let position = try merge.run()
        return outcome(
            merge.records, position.map { .sorted($0.position, zone: $0.zone, strategy: merge.strategy) }, reader)
    }
}

extension Driver {
    /// A key behind all of its entries.
    fileprivate var end: Key? { ranges.last?.upper }
}
