import StratusCloudModel
import StratusCloudStore

/// The check of one database, with one schema.
struct ConsistencyCheck: Sendable {
    let service: CloudService
    let database: Partition
    let context: CloudContext
    let schema: Schema
    let repairs: Bool
    /// See ``ServiceLimits/checkedNamesPerStep``.
    let namesPerStep: Int
    let progress: CheckProgress

    private var store: any CloudStore { service.store }

    /// Checks everything.
    func run(adding report: inout ConsistencyReport) async throws {
        let zones = try await store.read(database) { try CloudService.allZones(in: $0) }
        let isLarge = zones.contains { $0.header.version >= ServiceLimits.largeCheck }
        let scan = try await DatabaseScan(schema, countsAuthors: authority != nil, isLarge: isLarge, progress)
            .run(database, in: store)
        report.records += scan.records
        report.indexEntries += scan.indexEntries
        for (name, header) in zones { try await check(name, header.number, scan, &report) }
        if let stored = scan.storedUsage, let counted = scan.countedUsage, stored != counted,
            let finding = try await usageFinding(stored, counted)
        {
            report.add([finding])
        }
        if !scan.fits {
            let uses = AssetUseCheck(zones: Set(zones.map(\.header.number)), place: place("")) {
                scan.sums.isSuspect($0, in: $1)
            }
            try await forEachStep {
                try uses.step(from: $0, in: $1)
            } told: {
                report.add($0.findings)
            }
        }
        try await checkAssets(&report)
        try await store.read(database) { [service, schema, context] _ in
            try service.schemas.check(schema, of: context)
        }
    }

    private func place(_ zone: String) -> ConsistencyPlace {
        ConsistencyPlace(database: database.name, zone: zone, repairs: repairs)
    }

    private var authority: ReferenceAuthority? { ReferenceAuthority(in: database, schema, context) }

    private func check(
        _ name: String, _ zone: ZoneNumber, _ scan: DatabaseScan.Outcome, _ report: inout ConsistencyReport
    ) async throws {
        let (place, reserved) = (place(name), ReservedZones.kind(of: name))
        let isSuspect: @Sendable (String) -> Bool = { scan.sums.isSuspect($0, in: zone) }
        let layouts = IndexLayouts(schema)
        if !scan.fits {
            let records = RecordCheck(
                schema: schema, zone: zone, reserved: reserved, place: place, authority: authority,
                isSuspect: isSuspect)
            try await forEachStep {
                try records.step(from: $0, in: $1)
            } told: {
                report.add($0.findings)
            }
            let names = NameCheck(zone: zone, place: place, isSuspect: isSuspect)
            try await forEachStep {
                try names.step(from: $0, in: $1)
            } told: {
                report.add($0.findings)
            }
            let entries = IndexEntryCheck(
                schema: schema, zone: zone, place: place, layouts: layouts, isSuspect: isSuspect)
            for tag in Keyspace.indexTags {
                let range = KeyRange(prefix: Keyspace.prefix(tag, zone: zone).key)
                try await forEachStep {
                    try entries.step(tag, range, from: $0, in: $1)
                } told: {
                    report.add($0.findings)
                }
            }
            if let reserved {
                let own = ReservedEntryCheck(kind: reserved, zone: zone, place: place, isSuspect: isSuspect)
                for tag in reserved.entryTags {
                    try await forEachStep {
                        try own.step(tag, from: $0, in: $1)
                    } told: {
                        report.add($0.findings)
                    }
                }
            }
            let referrers = ReferrerCheck(zone: zone, place: place, isSuspect: isSuspect)
            try await forEachStep {
                try referrers.step(from: $0, in: $1)
            } told: {
                report.add($0.findings)
            }
        } else if !layouts.building.isEmpty {
            let entries = IndexEntryCheck(
                schema: schema, zone: zone, place: place, layouts: layouts, isSuspect: { _ in true })
            for (tag, number) in Keyspace.indexTags.flatMap({ tag in layouts.building.map { (tag, $0) } }) {
                let index = IndexNumber(rawValue: number)
                let range = KeyRange(prefix: Keyspace.prefix(tag, zone: zone, index: index).key)
                try await forEachStep {
                    try entries.step(tag, range, from: $0, in: $1)
                } told: {
                    report.add($0.findings)
                }
            }
        }
        try await checkReferrerCounts(zone, place, &report)
        if !scan.authorSums.isZero { try await checkAuthorReferrers(zone, place, scan, &report) }
    }

    private func checkAuthorReferrers(
        _ zone: ZoneNumber, _ place: ConsistencyPlace, _ scan: DatabaseScan.Outcome, _ report: inout ConsistencyReport
    ) async throws {
        let check = AuthorReferrerCheck(zone: zone, place: place) { scan.authorSums.isSuspect($0, in: zone) }
        var next: String? = ""
        while let from = next {
            let outcome =
                repairs
                ? try await store.write(database) {
                    try check.step(from: from, in: StepTransaction(reading: $0, writing: $0))
                }
                : try await store.read(database) {
                    try check.step(from: from, in: StepTransaction(reading: $0, writing: nil))
                }
            report.add(outcome.findings)
            next = outcome.next
        }
    }

    private func checkReferrerCounts(
        _ zone: ZoneNumber, _ place: ConsistencyPlace, _ report: inout ConsistencyReport
    ) async throws {
        let referrers = ReferrerCheck(zone: zone, place: place) { _ in true }
        var next: String? = ""
        while let from = next {
            let wrong = try await store.read(database) { [namesPerStep] in
                try referrers.wrongCounts(from: from, atOnce: namesPerStep, in: $0)
            }
            if repairs {
                for target in wrong.targets {
                    try await store.write(database) { try referrers.count(target, in: $0) }
                }
            }
            report.add(wrong.targets.map { place.finding(.wrongReferrers, "number of records that refer to '\($0)'") })
            next = wrong.next
        }
    }

    /// Runs a step in transactions of bounded size from the beginning of a range to its end.
    private func forEachStep(
        _ step: @escaping @Sendable (Key?, StepTransaction) throws -> CheckStep, told: (CheckStep) -> Void
    ) async throws {
        var next: Key?
        repeat {
            let from = next
            let outcome: CheckStep
            if repairs {
                outcome = try await store.write(database) { [service, schema, context] transaction in
                    try service.schemas.check(schema, of: context)
                    return try step(from, StepTransaction(reading: transaction, writing: transaction))
                }
            } else {
                outcome = try await store.read(database) {
                    try step(from, StepTransaction(reading: $0, writing: nil))
                }
            }
            told(outcome)
            next = outcome.next
        } while next != nil
    }

    /// Says that the count of what the database holds is wrong, and puts it right if that is wanted.
    /// - Returns: nil if it has become right in the meantime.
    private func usageFinding(_ stored: Usage, _ counted: Usage) async throws -> ConsistencyFinding? {
        var place = place("")
        guard repairs else { return place.finding(.wrongUsage, Self.usagePlace) }
        // Counting takes as long as there are records, so nobody's saves wait for it: it is written if it is still
        // true.
        var usage = (stored: stored, counted: counted)
        for attempt in 1...ServiceLimits.usageAttempts {
            let (stored, counted) = usage
            let isWritten = try await store.write(database) { transaction in
                let now: Usage? = try transaction.value(at: Keyspace.usage)
                guard now == stored else { return false }
                transaction.set(Keyspace.usage, counted)
                return true
            }
            if isWritten { return place.finding(.wrongUsage, Self.usagePlace) }
            guard attempt < ServiceLimits.usageAttempts else { break }
            usage = try await store.read(database) { transaction in
                (try UsageLedger.usage(in: transaction), try UsageLedger.count(in: transaction))
            }
            guard usage.stored != usage.counted else { return nil }
        }
        place.repairs = false
        return place.finding(.wrongUsage, Self.usagePlace)
    }

    static let usagePlace = "its counted usage"

    private func checkAssets(_ report: inout ConsistencyReport) async throws {
        let place = place("")
        let counts = AssetCountCheck(place: place, limit: namesPerStep)
        var next: Key? = Key()
        while let from = next {
            let range = try await store.read(database) { try counts.range(from: from, in: $0) }
            report.assets += range.blobs.count
            report.add(range.findings)
            let damages = try await service.damages(of: range.blobs, in: database, hashing: true, progress)
            report.add(damages.map(place.finding))
            next = range.next
        }
    }
}

extension ConsistencyPlace {
    func finding(_ damage: AssetDamage) -> ConsistencyFinding {
        finding(
            damage.isMissing ? .missingAsset : .damagedAsset,
            "asset \(damage.asset.fileChecksum) \(damage.reason)")
    }
}
