import StratusCloudModel
import StratusCloudStore

/// The statistics of a context over time.
public struct FigureSeries: Hashable, Sendable {
    /// The length of a step in milliseconds.
    public var step: Int64
    /// The beginning of the first step, in milliseconds since 1970-01-01 UTC.
    public var from: Int64
    /// A sample for each step up to now. Steps without requests have an empty sample.
    public var samples: [FigureSample]
}

/// The numbers of people who use an app.
public struct UserCounts: Hashable, Sendable {
    /// Those who signed in at least once.
    public var all: Int
    /// Those who were active today, in UTC. Large numbers are estimates.
    public var day: Int
    /// Those who were active on the last seven days.
    public var week: Int
    /// Those who were active on the last thirty days.
    public var month: Int
}

extension CloudService {
    /// Stores what a context did since the last call. Steps that are too old are deleted.
    /// - Parameter users: the active users by day since 1970-01-01 UTC.
    public func remember(
        _ sample: FigureSample, users: [Int64: UserSketch], of context: CloudContext
    ) async throws(CloudError) {
        let now = environment.now()
        try await writing(.figures(of: context)) { transaction in
            for step in FigureStep.allCases {
                let key = FigureKey.sample(step, step.start(of: now))
                var sum: FigureSample = try transaction.value(at: key) ?? FigureSample()
                sum.add(sample)
                transaction.set(key, sum)
                transaction.clear(FigureKey.samples(step, before: step.start(of: now - step.kept)))
            }
            for (day, new) in users {
                var sketch: UserSketch = try transaction.value(at: FigureKey.users(day)) ?? UserSketch()
                sketch.formUnion(new)
                transaction.set(FigureKey.users(day), sketch)
            }
            transaction.clear(FigureKey.users(before: UserSketch.day(of: now) - Int64(FigureLimits.days)))
        }
    }

    /// Returns the statistics of a context, in the finest steps that reach back so far.
    /// - Parameter current: what is not stored yet; it is added to the present step.
    /// - Throws: `badRequest` for a time outside ``FigureLimits/minutes``.
    public func figures(
        of context: CloudContext, minutes: Int, current: FigureSample
    ) async throws(CloudError) -> FigureSeries {
        guard FigureLimits.minutes.contains(minutes) else {
            throw CloudError(
                .badRequest,
                "minutes must be \(FigureLimits.minutes.lowerBound) to \(FigureLimits.minutes.upperBound)")
        }
        let now = environment.now()
        let span = Int64(minutes) * 60_000
        let step = FigureStep.allCases.first { $0.kept >= span } ?? .hour
        let last = step.start(of: now)
        let from = min(last, step.start(of: now - span) + step.length)
        let range = FigureKey.samples(step, from: from)
        let found = try await reading(.figures(of: context)) { transaction in
            // Each step has one entry.
            try transaction.entries(in: range, limit: Int(step.kept / step.length) + 2).map {
                (try FigureKey.start($0.key), try FigureSample(stored: $0.value))
            }
        }
        var samples = [FigureSample](repeating: FigureSample(), count: Int((last - from) / step.length) + 1)
        for (start, sample) in found where start >= from && start <= last {
            samples[Int((start - from) / step.length)] = sample
        }
        samples[samples.count - 1].add(current)
        var (usage, levels) = (Usage?.none, StorageLevels?.none)
        for index in samples.indices {
            usage = samples[index].usage ?? usage
            levels = samples[index].levels ?? levels
            samples[index].usage = usage
            samples[index].levels = levels
        }
        return FigureSeries(step: step.length, from: from, samples: samples)
    }

    /// Returns what all databases of a context hold, and how full they are. Reads one entry of each.
    public func storage(
        of context: CloudContext
    ) async throws(CloudError) -> (total: Usage, levels: StorageLevels) {
        let databases: [Partition]
        do {
            databases = try await store.partitions().filter { $0.databaseContext == context }
        } catch {
            throw cloudError(from: error)
        }
        var total = Usage()
        var levels = StorageLevels()
        levels.quotas = configuration.quotas
        for database in databases {
            let usage = try await reading(database) { try UsageLedger.usage(in: $0) }
            total += usage
            if database.privateOwner(in: context) == nil {
                levels.publicDatabase = usage
            } else {
                levels.fullestPrivate.formMaximum(usage)
            }
        }
        return (total, levels)
    }

    /// Returns how many people use an app.
    /// - Parameter current: the active users who are not stored yet, by day.
    public func userCounts(
        of context: CloudContext, current: [Int64: UserSketch]
    ) async throws(CloudError) -> UserCounts {
        let range = DirectoryKey.users(in: context)
        let all = try await reading(.directory) { transaction in
            var count = 0
            try transaction.forEach(in: range, limit: .max, reverse: false) { _, _ in
                count += 1
                return true
            }
            return count
        }
        let today = UserSketch.day(of: environment.now())
        var sketches = try await reading(.figures(of: context)) { transaction in
            try transaction.entries(in: FigureKey.allUsers, limit: FigureLimits.days + 2).map {
                (day: try FigureKey.start($0.key), sketch: try UserSketch(stored: $0.value))
            }
        }
        sketches += current.map { (day: $0.key, sketch: $0.value) }
        func count(_ days: Int64, _ sketches: [(day: Int64, sketch: UserSketch)]) -> Int {
            var sum = UserSketch()
            for entry in sketches where entry.day > today - days { sum.formUnion(entry.sketch) }
            return sum.count
        }
        return UserCounts(all: all, day: count(1, sketches), week: count(7, sketches), month: count(30, sketches))
    }
}

/// The keys of stored statistics. The tags are part of them, so they never change.
///
/// | range | value |
/// | --- | --- |
/// | step's tag / beginning | ``FigureSample`` |
/// | users' tag / day | ``UserSketch`` |
private enum FigureKey {
    private static let usersTag: UInt8 = 0x10

    static func sample(_ step: FigureStep, _ start: Int64) -> Key { key(step.rawValue, start) }
    static func samples(_ step: FigureStep, from start: Int64) -> KeyRange {
        KeyRange(lower: sample(step, start), upper: sample(step, .max))
    }
    static func samples(_ step: FigureStep, before start: Int64) -> KeyRange {
        KeyRange(lower: sample(step, 0), upper: sample(step, start))
    }

    static func users(_ day: Int64) -> Key { key(usersTag, day) }
    static func users(before day: Int64) -> KeyRange { KeyRange(lower: users(0), upper: users(day)) }
    static var allUsers: KeyRange { KeyRange(lower: users(0), upper: users(.max)) }

    /// The number behind the tag.
    static func start(_ key: Key) throws -> Int64 {
        var decoder = TupleDecoder(key, skipping: 1)
        guard let start = decoder.unsigned() else { throw ByteReader.Malformed() }
        return Int64(clamping: start)
    }

    private static func key(_ tag: UInt8, _ number: Int64) -> Key {
        var encoder = TupleEncoder()
        encoder.append(byte: tag)
        encoder.append(unsigned: UInt64(max(0, number)))
        return encoder.key
    }
}

extension Partition {
    /// The partition of a context's statistics.
    fileprivate static func figures(of context: CloudContext) -> Partition {
        Partition("\(context.container.rawValue)/\(context.environment.rawValue)/figures")
    }
}
