import StratusCloudModel
import StratusCloudStore

/// Where webhooks lie, in the partition of the public database that they watch: what waits is queued by the transaction
/// that causes it.
///
/// | range | value |
/// | --- | --- |
/// | webhook / webhook | ``Webhook`` |
/// | webhookQueue / webhook / number | ``WebhookEvent`` |
/// | webhookCount / webhook | ``WebhookCount`` |
/// | webhookDelivery / webhook / number | ``WebhookDelivery`` |
enum WebhookKey {
    static var webhooks: KeyRange { KeyRange(prefix: Key([Keyspace.Tag.webhook.rawValue])) }
    static func webhook(_ id: String) -> Key { prefix(.webhook, id).key }
    static func count(_ id: String) -> Key { prefix(.webhookCount, id).key }
    static func event(_ number: UInt64, of id: String) -> Key { numbered(.webhookQueue, id, number) }
    static func queue(of id: String) -> KeyRange { KeyRange(prefix: prefix(.webhookQueue, id).key) }
    static func delivery(_ number: UInt64, of id: String) -> Key { numbered(.webhookDelivery, id, number) }
    static func deliveries(of id: String) -> KeyRange { KeyRange(prefix: prefix(.webhookDelivery, id).key) }

    private static func prefix(_ tag: Keyspace.Tag, _ id: String) -> TupleEncoder {
        var encoder = TupleEncoder()
        encoder.append(byte: tag.rawValue)
        encoder.append(string: id)
        return encoder
    }

    private static func numbered(_ tag: Keyspace.Tag, _ id: String, _ number: UInt64) -> Key {
        var encoder = prefix(tag, id)
        encoder.append(unsigned: number)
        return encoder.key
    }
}

/// How far a webhook's queue has come.
struct WebhookCount: StoredValue, Hashable {
    static let format: UInt8 = 1

    /// The number of the latest event.
    var latest: UInt64 = 0
    /// Events that wait.
    var waiting: UInt64 = 0
    /// Events that found no room.
    var lost: UInt64 = 0
    /// The number of the latest attempt.
    var attempts: UInt64 = 0

    init() {}

    init(from reader: inout ByteReader) throws {
        latest = try reader.unsigned()
        waiting = try reader.unsigned()
        lost = try reader.unsigned()
        attempts = try reader.unsigned()
    }

    func write(to writer: inout ByteWriter) {
        for number in [latest, waiting, lost, attempts] { writer.write(unsigned: number) }
    }

    static func read(of id: String, in transaction: any ReadTransaction) throws -> WebhookCount {
        try transaction.value(at: WebhookKey.count(id)) ?? WebhookCount()
    }
}

/// What a webhook watches, as every save reads it.
struct WebhookWatch: Hashable {
    var id: String
    var types: Set<String>
    var events: Set<QuerySubscription.Event>

    init(_ webhook: Webhook) {
        id = webhook.id
        types = Set(webhook.types)
        events = webhook.events
    }

    init(from reader: inout ByteReader) throws {
        id = try reader.string()
        types = Set(try reader.list { try $0.string() })
        events = try Set(from: &reader)
    }

    func write(to writer: inout ByteWriter) {
        writer.write(id)
        writer.write(list: types.sorted()) { $0.write($1) }
        events.write(to: &writer)
    }

    /// Queues what this webhook is told of some changes, in the transaction that makes them.
    func queue(
        _ changes: [WatchedChange], in zone: ZoneID, at time: Int64, _ trace: TraceContext?,
        _ transaction: any WriteTransaction
    ) throws {
        let told = changes.compactMap { change in change.subject.map { (change.event, $0) } }
            .filter { event, record in events.contains(event) && types.contains(record.recordType) }
        guard !told.isEmpty else { return }
        var count = try WebhookCount.read(of: id, in: transaction)
        for (event, record) in told {
            guard count.waiting < UInt64(WebhookLimits.waitingEvents) else {
                count.lost += 1
                continue
            }
            count.latest += 1
            count.waiting += 1
            transaction.set(
                WebhookKey.event(count.latest, of: id),
                WebhookEvent(
                    number: count.latest, event: event, recordType: record.recordType, recordName: record.recordName,
                    zoneName: zone.zoneName,
                    recordChangeTag: event == .delete ? nil : record.record(in: zone).recordChangeTag, time: time,
                    trace: trace))
        }
        transaction.set(WebhookKey.count(id), count)
    }
}

extension Set<QuerySubscription.Event> {
    init(from reader: inout ByteReader) throws {
        self = []
        for word in try reader.list({ try $0.string() }) {
            guard let event = QuerySubscription.Event(rawValue: word) else { throw ByteReader.Malformed() }
            insert(event)
        }
    }

    func write(to writer: inout ByteWriter) { writer.write(list: map(\.rawValue).sorted()) { $0.write($1) } }
}

extension Webhook: StoredValue {
    static let format: UInt8 = 1

    init(from reader: inout ByteReader) throws {
        self.init(
            id: try reader.string(), url: try reader.string(), types: try reader.list { try $0.string() },
            events: try Set(from: &reader), isEnabled: try reader.byte() == 1, created: try reader.signed(),
            salt: Array(try reader.slice()))
    }

    func write(to writer: inout ByteWriter) {
        writer.write(id)
        writer.write(url)
        writer.write(list: types) { $0.write($1) }
        events.write(to: &writer)
        writer.write(byte: isEnabled ? 1 : 0)
        writer.write(signed: created)
        writer.write(bytes: salt)
    }
}

extension WebhookEvent: StoredValue {
    static let format: UInt8 = 2
    static let readableFormats: ClosedRange<UInt8> = 1...2

    init(from reader: inout ByteReader) throws {
        let number = try reader.unsigned()
        guard let event = QuerySubscription.Event(rawValue: try reader.string()) else { throw ByteReader.Malformed() }
        self.init(
            number: number, event: event, recordType: try reader.string(), recordName: try reader.string(),
            zoneName: try reader.string(), recordChangeTag: try reader.optional { try $0.string() },
            time: try reader.signed())
        if !reader.isAtEnd { trace = try reader.optional { try TraceContext(from: &$0) } }
    }

    func write(to writer: inout ByteWriter) {
        writer.write(unsigned: number)
        for text in [event.rawValue, recordType, recordName, zoneName] { writer.write(text) }
        writer.write(optional: recordChangeTag) { $0.write($1) }
        writer.write(signed: time)
        writer.write(optional: trace) { $1.write(to: &$0) }
    }
}

extension WebhookDelivery: StoredValue {
    static let format: UInt8 = 1

    init(from reader: inout ByteReader) throws {
        self.init(
            number: try reader.unsigned(), time: try reader.signed(), firstEvent: try reader.unsigned(),
            events: try reader.unsigned(), attempt: try reader.unsigned(),
            status: try reader.optional { Int(clamping: try $0.signed()) }, duration: try reader.signed(),
            error: try reader.optional { try $0.string() }, next: try reader.optional { try $0.signed() })
    }

    func write(to writer: inout ByteWriter) {
        writer.write(unsigned: number)
        writer.write(signed: time)
        for count in [firstEvent, events, attempt] { writer.write(unsigned: count) }
        writer.write(optional: status) { $0.write(signed: Int64($1)) }
        writer.write(signed: duration)
        writer.write(optional: error) { $0.write($1) }
        writer.write(optional: next) { $0.write(signed: $1) }
    }
}
