import StratusCloudModel
import StratusCloudStore

/// A notification on its way, with what decides who gets it.
struct QueuedNotification: StoredValue, Hashable {
    static let format: UInt8 = 2
    static let readableFormats: ClosedRange<UInt8> = 1...2

    var lane: PushLane
    /// Its number in the lane.
    var sequence: UInt64
    /// Milliseconds since 1970-01-01 UTC.
    var time: Int64
    /// The client that made the change, which is not told of it.
    var originClientID: String?
    /// What the owner must still be allowed to read when it is delivered; nil where no record is told of.
    var recordType: String?
    /// Who made that record.
    var creator: String?
    var notification: CloudNotification
    /// Of the request that caused it.
    var trace: TraceContext?

    init(
        lane: PushLane, sequence: UInt64, time: Int64, originClientID: String?, recordType: String?, creator: String?,
        notification: CloudNotification, trace: TraceContext? = nil
    ) {
        self.lane = lane
        self.sequence = sequence
        self.time = time
        self.originClientID = originClientID
        self.recordType = recordType
        self.creator = creator
        self.notification = notification
        self.trace = trace
    }

    init(from reader: inout ByteReader) throws {
        guard let lane = PushLane(rawValue: try reader.byte()) else { throw ByteReader.Malformed() }
        self.init(
            lane: lane, sequence: try reader.unsigned(), time: try reader.signed(),
            originClientID: try reader.optional { try $0.string() },
            recordType: try reader.optional { try $0.string() }, creator: try reader.optional { try $0.string() },
            notification: try CloudNotification(from: &reader))
        if !reader.isAtEnd { trace = try TraceContext(from: &reader) }
    }

    func write(to writer: inout ByteWriter) {
        writer.write(byte: lane.rawValue)
        writer.write(unsigned: sequence)
        writer.write(signed: time)
        for text in [originClientID, recordType, creator] { writer.write(optional: text) { $0.write($1) } }
        notification.write(to: &writer)
        if let trace { trace.write(to: &writer) }
    }

    /// Whether `later`, which waits behind it, makes it superfluous: both are silent and tell of the same.
    func isCovered(by later: QueuedNotification) -> Bool {
        let (one, other) = (notification, later.notification)
        guard one.isSilent, other.isSilent, one.subscriptionID == other.subscriptionID, one.scope == other.scope else {
            return false
        }
        switch (one.kind, other.kind) {
        case (.zone, .zone): return true
        case (.database(let a), .database(let b)): return a == b
        case (.query(let a, let zoneA, _, _), .query(let b, let zoneB, _, _)): return a == b && zoneA == zoneB
        default: return false
        }
    }
}

/// The number of the latest notification of a partition.
struct PushCounter: StoredValue, Hashable {
    static let format: UInt8 = 1

    var latest: UInt64 = 0

    init() {}
    init(from reader: inout ByteReader) throws { latest = try reader.unsigned() }
    func write(to writer: inout ByteWriter) { writer.write(unsigned: latest) }

    static func read(in transaction: any ReadTransaction) throws -> PushCounter {
        try transaction.value(at: PushKey.counter) ?? PushCounter()
    }
}

/// What waits durably: the latest notification of each subscription, for devices that are not there when it fires.
/// So it is never larger than the subscriptions.
enum PushQueue {
    /// Numbers notifications and stores them, in the transaction that causes them.
    static func append(
        _ notifications: [QueuedNotification], in transaction: any WriteTransaction
    ) throws -> [QueuedNotification] {
        var counter = try PushCounter.read(in: transaction)
        var numbered = notifications
        var latest: [Key: QueuedNotification] = [:]
        for index in numbered.indices {
            counter.latest += 1
            numbered[index].sequence = counter.latest
            let notification = numbered[index].notification
            latest[
                PushKey.queue(
                    of: notification.userRecordName, notification.scope, subscriptionID: notification.subscriptionID)] =
                numbered[index]
        }
        for (key, notification) in latest { transaction.set(key, notification) }
        transaction.set(PushKey.counter, counter)
        return numbered
    }

    /// What waits for a user beyond a number, not older than `oldest`, in the order of their numbers.
    static func read(
        of user: String, after sequence: UInt64, notBefore oldest: Int64, in transaction: any ReadTransaction
    ) throws -> [QueuedNotification] {
        let entries = try transaction.entries(
            in: PushKey.queueRange(of: user),
            limit: DatabaseScope.allCases.count * ServiceLimits.subscriptionsPerDatabase
        )
        return try entries.map { try QueuedNotification(stored: $0.value) }
            .filter { $0.sequence > sequence && $0.time >= oldest }
            .sorted { $0.sequence < $1.sequence }
    }
}
