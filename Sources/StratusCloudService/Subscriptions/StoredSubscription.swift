import StratusCloudCrypto
import StratusCloudModel

/// A subscription as it lies in the store. Its owner is in its key.
struct StoredSubscription: StoredValue, Hashable {
    static let format: UInt8 = 1

    var subscription: Subscription
    /// Where it stands in the index: as of its saving, whatever the schema becomes.
    var places: [WatchedPlace]

    init(_ subscription: Subscription, places: [WatchedPlace]) {
        self.subscription = subscription
        self.places = places
    }

    init(from reader: inout ByteReader) throws {
        subscription = Subscription(
            subscriptionID: try reader.string(), kind: try Subscription.Kind(from: &reader),
            notificationInfo: try reader.optional { try NotificationInfo(from: &$0) })
        places = try reader.list { try WatchedPlace(from: &$0) }
    }

    func write(to writer: inout ByteWriter) {
        writer.write(subscription.subscriptionID)
        subscription.kind.write(to: &writer)
        writer.write(optional: subscription.notificationInfo) { $1.write(to: &$0) }
        writer.write(list: places) { $1.write(to: &$0) }
    }

    /// Equal for subscriptions that watch the same, whatever they are called and whatever they say.
    static func contentHash(of kind: Subscription.Kind) -> [UInt8] {
        var writer = ByteWriter()
        kind.write(to: &writer)
        return SHA256.hash(writer.bytes)
    }
}

extension WatchedPlace {
    fileprivate init(from reader: inout ByteReader) throws {
        switch try reader.byte() {
        case 1: self = .database
        case 2: self = .zone(try reader.string())
        case 3: self = .type(try reader.string())
        case 4:
            self = .value(type: try reader.string(), field: try reader.string(), Array(try reader.slice()))
        default: throw ByteReader.Malformed()
        }
    }

    fileprivate func write(to writer: inout ByteWriter) {
        switch self {
        case .database: writer.write(byte: 1)
        case .zone(let name):
            writer.write(byte: 2)
            writer.write(name)
        case .type(let type):
            writer.write(byte: 3)
            writer.write(type)
        case .value(let type, let field, let bytes):
            writer.write(byte: 4)
            writer.write(type)
            writer.write(field)
            writer.write(bytes: bytes)
        }
    }
}

extension Subscription.Kind {
    fileprivate init(from reader: inout ByteReader) throws {
        switch try reader.byte() {
        case 1: self = .query(try QuerySubscription(from: &reader))
        case 2: self = .zone(try ZoneID(from: &reader), recordType: try reader.optional { try $0.string() })
        case 3: self = .database(recordType: try reader.optional { try $0.string() })
        default: throw ByteReader.Malformed()
        }
    }

    fileprivate func write(to writer: inout ByteWriter) {
        switch self {
        case .query(let query):
            writer.write(byte: 1)
            query.write(to: &writer)
        case .zone(let zone, let type):
            writer.write(byte: 2)
            zone.write(to: &writer)
            writer.write(optional: type) { $0.write($1) }
        case .database(let type):
            writer.write(byte: 3)
            writer.write(optional: type) { $0.write($1) }
        }
    }
}

extension QuerySubscription {
    fileprivate init(from reader: inout ByteReader) throws {
        let recordType = try reader.string()
        let filters = try reader.list { try Filter(from: &$0) }
        let events = try reader.byte()
        self.init(
            query: Query(recordType: recordType, filters: filters),
            firesOn: Set(Event.allCases.filter { events & $0.storedBit != 0 }), firesOnce: try reader.byte() != 0,
            zoneID: try reader.optional { try ZoneID(from: &$0) })
    }

    fileprivate func write(to writer: inout ByteWriter) {
        writer.write(query.recordType)
        writer.write(list: query.filters) { $1.write(to: &$0) }
        writer.write(byte: firesOn.reduce(0) { $0 | $1.storedBit })
        writer.write(byte: firesOnce ? 1 : 0)
        writer.write(optional: zoneID) { $1.write(to: &$0) }
    }
}

extension QuerySubscription.Event {
    /// Stored; never renumber them. The bits of the native API.
    var storedBit: UInt8 {
        switch self {
        case .create: 1
        case .update: 2
        case .delete: 4
        }
    }
}

extension NotificationInfo {
    fileprivate init(from reader: inout ByteReader) throws {
        self.init(
            body: try Text(from: &reader), title: try Text(from: &reader), subtitle: try Text(from: &reader),
            actionLocalizationKey: try reader.optional { try $0.string() },
            launchImage: try reader.optional { try $0.string() }, soundName: try reader.optional { try $0.string() },
            shouldBadge: try reader.byte() != 0, shouldSendContentAvailable: try reader.byte() != 0,
            shouldSendMutableContent: try reader.byte() != 0, category: try reader.optional { try $0.string() },
            collapseIDKey: try reader.optional { try $0.string() }, desiredKeys: try reader.list { try $0.string() })
    }

    fileprivate func write(to writer: inout ByteWriter) {
        for text in [body, title, subtitle] { text.write(to: &writer) }
        for value in [actionLocalizationKey, launchImage, soundName] {
            writer.write(optional: value) { $0.write($1) }
        }
        for flag in [shouldBadge, shouldSendContentAvailable, shouldSendMutableContent] {
            writer.write(byte: flag ? 1 : 0)
        }
        writer.write(optional: category) { $0.write($1) }
        writer.write(optional: collapseIDKey) { $0.write($1) }
        writer.write(list: desiredKeys) { $0.write($1) }
    }
}

extension NotificationInfo.Text {
    fileprivate init(from reader: inout ByteReader) throws {
        self.init(
            try reader.optional { try $0.string() }, localizationKey: try reader.optional { try $0.string() },
            localizationArguments: try reader.list { try $0.string() })
    }

    fileprivate func write(to writer: inout ByteWriter) {
        writer.write(optional: literal) { $0.write($1) }
        writer.write(optional: localizationKey) { $0.write($1) }
        writer.write(list: localizationArguments) { $0.write($1) }
    }
}
