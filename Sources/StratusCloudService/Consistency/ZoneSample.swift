import StratusCloudCrypto
import StratusCloudModel
import StratusCloudStore

/// Some records of a zone and some entries of each of its indexes, held against what belongs to them.
struct ZoneSample: Sendable {
    let schema: Schema
    let zone: ZoneHeader
    /// The kind of the reserved zone; nil for a zone of an app.
    let reserved: (any ReservedZone.Type)?
    let place: ConsistencyPlace
    /// See ``RecordCheck/authority``.
    let authority: ReferenceAuthority?
    let random: RandomSource

    /// Runs of neighbouring rows that a sample is made of, and the rows of one.
    private static let runs = 10
    private static let runLength = ServiceLimits.sampledRecords / runs

    /// What was looked at, and found.
    struct Outcome: Sendable {
        var records = 0
        var indexEntries = 0
        var findings: [ConsistencyFinding] = []
    }

    func take(_ reading: any ReadTransaction, _ progress: CheckProgress) throws -> Outcome {
        let transaction = StepTransaction(reading: reading, writing: nil)
        var outcome = Outcome()
        let check = RecordCheck(
            schema: schema, zone: zone.number, reserved: reserved, place: place, authority: authority
        ) { _ in true }
        let versions = KeyRange(prefix: Keyspace.prefix(.version, zone: zone.number).key)
        for _ in 0..<Self.runs {
            var range = versions
            range.lower = Keyspace.version(zone: zone.number, random.integer() % (zone.version + 1))
            let step = try check.step(range, limit: Self.runLength, in: transaction)
            outcome.records += step.count
            outcome.findings += step.findings
            progress.addRows(step.count)
        }
        let layouts = IndexLayouts(schema)
        let entries = IndexEntryCheck(
            schema: schema, zone: zone.number, place: place, layouts: layouts, isSuspect: { _ in true })
        for tag in Keyspace.indexTags {
            for number in layouts.numbers where !layouts.building.contains(number) {
                let prefix = Keyspace.prefix(tag, zone: zone.number, index: IndexNumber(rawValue: number))
                let sample = try self.entries(prefix, reading)
                outcome.indexEntries += sample.count
                outcome.findings += try entries.findings(sample, tag, in: transaction)
                progress.addRows(sample.count)
            }
        }
        guard let reserved else { return outcome }
        let own = ReservedEntryCheck(kind: reserved, zone: zone.number, place: place) { _ in true }
        for tag in reserved.entryTags {
            let sample = try self.entries(Keyspace.prefix(tag, zone: zone.number), reading)
            outcome.indexEntries += sample.count
            outcome.findings += try own.stale(sample, tag, transaction)
            progress.addRows(sample.count)
        }
        return outcome
    }

    /// Neighbouring entries of an index from a random place on; the first if there are none.
    private func entries(_ prefix: TupleEncoder, _ reading: any ReadTransaction) throws -> [StoreEntry] {
        let whole = KeyRange(prefix: prefix.key)
        var rest = whole
        rest.lower = Key(whole.lower.bytes + [UInt8(truncatingIfNeeded: random.integer())])
        let found = try reading.entries(in: rest, limit: Self.runLength)
        return found.isEmpty ? try reading.entries(in: whole, limit: Self.runLength) : found
    }
}
