import StratusCloudModel
import StratusCloudStore

/// Indexes that are new on fields that records had before.
///
/// From the change of the schema on, every save writes the entries of such an index with all others. The builder goes
/// over the records that were there, a bounded number in each transaction, and writes theirs; when it is through, the
/// schema says that queries may use the index. How far it got is noted now and then: what a crash makes it do again
/// changes nothing.
extension CloudService {
    /// Builds all indexes that are to be built, and clears what former ones left; also goes on with resets that a crash
    /// cut short. Returns when there is nothing more to do, or when the task is cancelled; the next call goes on.
    ///
    /// Several calls at once are no harm: one works, the others return.
    /// - Parameter pace: how much it leaves to what else goes on.
    public func buildIndexes(_ pace: IndexBuildPace = .full) async throws(CloudError) {
        guard indexWork.begin() else { return }
        do {
            repeat {
                for container in try await listContainers() {
                    for environment in CloudEnvironment.allCases {
                        try await buildIndexes(in: CloudContext(container: container, environment: environment), pace)
                    }
                }
            } while indexWork.end()
        } catch {
            indexWork.abandon()
            throw error
        }
    }

    /// Waits for work, and does it, until the task is cancelled. For servers; a failure is reported and ends what is
    /// under way until the next change or start.
    public func keepBuildingIndexes() async {
        indexWork.wake()
        for await _ in indexWork.requests {
            do {
                try await buildIndexes(.behindOthers)
            } catch {
                // Reported where it became a CloudError.
                continue
            }
        }
    }

    /// Records that builds took up since the start, and builds under way, for the metrics.
    public var indexBuildFigures: (indexedRecords: UInt64, builds: Int) { indexWork.figures }

    /// An index that a context has, or will have.
    public struct IndexState: Hashable, Sendable {
        /// The record type.
        public var recordType: String
        /// The field, as the schema language names it.
        public var field: String
        /// `QUERYABLE`, `SEARCHABLE`, `SORTABLE`.
        public var kinds: [String]
        /// Whether queries can use it.
        public var isComplete: Bool
        /// Records that have their entries, as far as this server has come; nil where it is complete or waits.
        public var indexedRecords: UInt64?
        /// Records that it is built from: as many as there were at the beginning, or as have their entries by now, if
        /// those are more. nil as ``indexedRecords``, and until they are counted.
        public var totalRecords: UInt64?
    }

    /// All indexes of a context by record type and field; one that is built anew appears twice.
    /// - Throws: `notFound` if there is no such container.
    public func indexes(of context: CloudContext) async throws(CloudError) -> [IndexState] {
        try await checkContainer(context)
        let progress = indexWork.progress(in: context)
        return try await schema(of: context).recordTypes.values.sorted { $0.name < $1.name }.flatMap { type in
            func states(_ fields: [QueryableField], isComplete: Bool) -> [IndexState] {
                fields.map { field in
                    let name =
                        switch field.source {
                        case .named(let name): name
                        case .system(let field): SystemFieldDeclaration.name(of: field)
                        }
                    let isUnderWay = progress?.numbers.contains(field.index.number) == true && !isComplete
                    return IndexState(
                        recordType: type.name, field: name, kinds: field.index.kinds.words, isComplete: isComplete,
                        indexedRecords: isUnderWay ? progress?.records : nil,
                        totalRecords: isUnderWay ? progress?.total.map { max($0, progress?.records ?? 0) } : nil)
                }
            }
            let all = states(type.queryableFields, isComplete: true) + states(type.buildingFields, isComplete: false)
            return all.sorted { ($0.field, $0.isComplete ? 0 : 1) < ($1.field, $1.isComplete ? 0 : 1) }
        }
    }

    private func buildIndexes(in context: CloudContext, _ pace: IndexBuildPace) async throws(CloudError) {
        if try await schema(of: context).isBeingReset { try await resumeReset(of: context) }
        while !Task.isCancelled {
            let schema = try await schema(of: context)
            let building = schema.recordTypes.values.filter(\.isBuilding).map(\.name).sorted()
            guard let recordType = building.first else { break }
            do {
                try await buildIndexes(of: recordType, in: context, pace)
            } catch is SchemaCatalog.Outdated {
                continue
            } catch {
                indexWork.note(nil, in: context)
                throw cloudError(from: error)
            }
        }
        indexWork.note(nil, in: context)
        try await clearDroppedIndexes(in: context)
    }

    /// - Throws: ``SchemaCatalog/Outdated`` if the schema changed meanwhile: what is to be done may be something else.
    private func buildIndexes(
        of recordType: String, in context: CloudContext, _ pace: IndexBuildPace
    ) async throws {
        let schema = try await schema(of: context)
        guard let type = schema.recordTypes[recordType] else { return }
        let numbers = Set(type.buildingFields.map(\.index.number))
        let stored: IndexBuildProgress? = try await store.read(.context(context)) {
            try $0.value(at: IndexBuildProgress.key(recordType))
        }
        var progress = IndexBuildProgress(recordType: recordType, numbers: numbers)
        if let stored, stored.numbers == numbers { progress = stored }
        indexWork.note(progress, in: context)
        if progress.total == nil {
            let total = try await countRecords(of: recordType, in: context, pace)
            if Task.isCancelled { return }
            progress.total = UInt64(total)
            indexWork.note(progress, in: context)
        }
        var done: Set<Partition> = []
        // A database that is new meanwhile may hold what was begun before the schema changed.
        while true {
            let databases = try await databases(of: context).filter { $0.name >= progress.database }
            let new = databases.filter { !done.contains($0) }
            if new.isEmpty { break }
            for database in new {
                try await build(type, of: schema, in: database, context, &progress, pace)
                if Task.isCancelled { return try await note(progress, in: context) }
                done.insert(database)
            }
        }
        _ = try await schemas.change(context) { schema, transaction in
            guard schema.recordTypes[recordType].map({ Set($0.buildingFields.map(\.index.number)) }) == numbers else {
                throw SchemaCatalog.Outdated()
            }
            schema.finishBuilding(numbers, of: recordType)
            transaction.clear(IndexBuildProgress.key(recordType))
        }
    }

    private func build(
        _ type: RecordTypeSchema, of schema: Schema, in database: Partition, _ context: CloudContext,
        _ progress: inout IndexBuildProgress, _ pace: IndexBuildPace
    ) async throws {
        if database.name != progress.database {
            progress.database = database.name
            progress.zone = .default
            progress.position = []
        }
        // What was begun with the schema of before is done then.
        try await store.write(database) { _ in }
        let zones = try await store.read(database) { try Self.allZones(in: $0).map(\.header.number) }
        var unnoted = 0
        for zone in zones.sorted() where zone >= progress.zone {
            let step = IndexBuildStep(type: type, zone: zone, pace: pace)
            var next = zone == progress.zone && !progress.position.isEmpty ? Key(progress.position) : nil
            var room = ServiceLimits.indexedRecordsPerStep
            repeat {
                let (from, limit) = (next, room)
                let begun = ContinuousClock.now
                let outcome = try await store.read(database) { try step.prepare(from: from, limit: limit, in: $0) }
                try await store.write(database) { [schemas] transaction in
                    try schemas.check(schema, of: context)
                    try step.write(outcome.records, in: transaction)
                }
                next = outcome.next
                room = outcome.room
                progress.zone = zone
                progress.position = next?.bytes ?? []
                progress.records += UInt64(outcome.records.count)
                unnoted += outcome.records.count
                indexWork.note(progress, in: context, records: outcome.records.count)
                if unnoted >= ServiceLimits.indexedRecordsPerNote {
                    try await note(progress, in: context)
                    unnoted = 0
                }
                if next != nil { await pace.rest(after: begun.duration(to: .now)) }
                if Task.isCancelled { return }
            } while next != nil
        }
    }

    private func note(_ progress: IndexBuildProgress, in context: CloudContext) async throws {
        try await store.write(.context(context)) { $0.set(IndexBuildProgress.key(progress.recordType), progress) }
    }

    /// Clears the entries of indexes that are no more.
    private func clearDroppedIndexes(in context: CloudContext) async throws(CloudError) {
        let dropped = try await schema(of: context).droppedIndexes
        guard !dropped.isEmpty, !Task.isCancelled else { return }
        for database in try await databases(of: context) {
            let ranges = try await reading(database) { transaction in
                try Self.allZones(in: transaction).flatMap { zone in
                    dropped.flatMap { number in
                        [Keyspace.Tag.index, .token, .cell].map { tag in
                            KeyRange(prefix: Keyspace.prefix(tag, zone: zone.header.number, index: number).key)
                        }
                    }
                }.filter { try !transaction.entries(in: $0, limit: 1).isEmpty }
            }
            for range in ranges {
                while try await writing(database, { try Self.clearStep(range, in: $0) }) {
                    if Task.isCancelled { return }
                }
            }
        }
        do {
            _ = try await schemas.change(context) { schema, _ in
                schema.droppedIndexes.removeAll { dropped.contains($0) }
            }
        } catch {
            throw cloudError(from: error)
        }
    }
}
