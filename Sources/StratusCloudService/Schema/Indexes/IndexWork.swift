import StratusCloudModel
import StratusCloudStore
import StratusWorkers

/// What there is to know of the building of indexes in this process: whether somebody is at it, and how far.
final class IndexWork: Sendable {
    private struct State {
        var isRunning = false
        var isWantedAgain = false
        var progress: [CloudContext: IndexBuildProgress] = [:]
        var indexed: UInt64 = 0
        var resets: Set<CloudContext> = []
    }

    private let state = Lock(State())
    /// Something for everyone who waits that there is work.
    let requests: AsyncStream<Void>
    private let request: AsyncStream<Void>.Continuation

    init() { (requests, request) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1)) }

    /// There may be work.
    func wake() { request.yield() }

    /// - Returns: whether the caller is the one to do the work; else, whoever does it will look again.
    func begin() -> Bool {
        state.withLock { state in
            if state.isRunning { state.isWantedAgain = true }
            defer { state.isRunning = true }
            return !state.isRunning
        }
    }

    /// - Returns: whether there may be more to do; the caller goes on then.
    func end() -> Bool {
        state.withLock { state in
            defer { state.isWantedAgain = false }
            state.isRunning = state.isWantedAgain
            return state.isWantedAgain
        }
    }

    /// - Returns: whether the caller is the one to reset the context; it calls ``endReset(of:)`` then.
    func beginReset(of context: CloudContext) -> Bool { state.withLock { $0.resets.insert(context).inserted } }

    func endReset(of context: CloudContext) { state.withLock { _ = $0.resets.remove(context) } }

    /// Gives up, after a failure.
    func abandon() {
        state.withLock { state in
            state.isRunning = false
            state.isWantedAgain = false
        }
    }

    func note(_ progress: IndexBuildProgress?, in context: CloudContext, records: Int = 0) {
        state.withLock { state in
            state.progress[context] = progress
            state.indexed += UInt64(records)
        }
    }

    func progress(in context: CloudContext) -> IndexBuildProgress? { state.withLock { $0.progress[context] } }

    /// Records taken up by builds since the start, and builds under way.
    var figures: (indexedRecords: UInt64, builds: Int) { state.withLock { ($0.indexed, $0.progress.count) } }
}

/// How far the building of a record type's indexes is. What lies before has its entries.
struct IndexBuildProgress: StoredValue, Hashable {
    static let format: UInt8 = 2
    static let readableFormats: ClosedRange<UInt8> = 1...2

    let recordType: String
    /// Of the indexes; for others it begins anew.
    let numbers: Set<IndexNumber>
    /// The database at which it is; those whose names come before are done.
    var database = ""
    /// The zone at which it is, and where in it.
    var zone = ZoneNumber.default
    var position: [UInt8] = []
    /// Records that have their entries.
    var records: UInt64 = 0
    /// Records that there were when somebody counted them, at the beginning; nil until then.
    var total: UInt64?

    init(recordType: String, numbers: Set<IndexNumber>) {
        self.recordType = recordType
        self.numbers = numbers
    }

    init(from reader: inout ByteReader) throws {
        recordType = try reader.string()
        var numbers: Set<IndexNumber> = []
        for _ in 0..<(try reader.unsigned()) { numbers.insert(IndexNumber(rawValue: try reader.unsigned())) }
        self.numbers = numbers
        database = try reader.string()
        zone = ZoneNumber(rawValue: try reader.unsigned())
        position = Array(try reader.slice())
        records = try reader.unsigned()
        if !reader.isAtEnd { total = try reader.optional { try $0.unsigned() } }
    }

    func write(to writer: inout ByteWriter) {
        writer.write(recordType)
        writer.write(unsigned: UInt64(numbers.count))
        for number in numbers.sorted(by: { $0.rawValue < $1.rawValue }) { writer.write(unsigned: number.rawValue) }
        writer.write(database)
        writer.write(unsigned: zone.rawValue)
        writer.write(bytes: position)
        writer.write(unsigned: records)
        writer.write(optional: total) { $0.write(unsigned: $1) }
    }

    static func key(_ recordType: String) -> Key { SchemaCatalog.key(SchemaCatalog.builds, recordType) }
}
