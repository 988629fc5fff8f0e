import StratusCloudModel

extension CloudNotification {
    init(from reader: inout ByteReader) throws {
        let notificationID = try reader.string()
        guard let container = ContainerIdentifier(try reader.string()) else { throw ByteReader.Malformed() }
        self.init(
            notificationID: notificationID, container: container,
            scope: try DatabaseScope(storedByte: try reader.byte()), subscriptionID: try reader.string(),
            userRecordName: try reader.string(), kind: try Kind(from: &reader))
        body = try Text(from: &reader)
        title = try Text(from: &reader)
        subtitle = try Text(from: &reader)
        actionLocalizationKey = try reader.optional { try $0.string() }
        launchImage = try reader.optional { try $0.string() }
        soundName = try reader.optional { try $0.string() }
        badge = try reader.optional { Int(clamping: try $0.signed()) }
        category = try reader.optional { try $0.string() }
        isContentAvailable = try reader.byte() != 0
        isMutableContent = try reader.byte() != 0
        collapseID = try reader.optional { try $0.string() }
    }

    func write(to writer: inout ByteWriter) {
        writer.write(notificationID)
        writer.write(container.rawValue)
        writer.write(byte: scope.storedByte)
        writer.write(subscriptionID)
        writer.write(userRecordName)
        kind.write(to: &writer)
        for text in [body, title, subtitle] { text.write(to: &writer) }
        for text in [actionLocalizationKey, launchImage, soundName] {
            writer.write(optional: text) { $0.write($1) }
        }
        writer.write(optional: badge) { $0.write(signed: Int64($1)) }
        writer.write(optional: category) { $0.write($1) }
        writer.write(byte: isContentAvailable ? 1 : 0)
        writer.write(byte: isMutableContent ? 1 : 0)
        writer.write(optional: collapseID) { $0.write($1) }
    }
}

extension CloudNotification.Text {
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

extension CloudNotification.Kind {
    fileprivate init(from reader: inout ByteReader) throws {
        switch try reader.byte() {
        case 1:
            let name = try reader.string()
            let zone = try ZoneID(from: &reader)
            let bit = try reader.byte()
            guard let event = QuerySubscription.Event.allCases.first(where: { $0.storedBit == bit }) else {
                throw ByteReader.Malformed()
            }
            self = .query(recordName: name, zoneID: zone, event, fields: try FieldMap(from: &reader))
        case 2: self = .zone(try ZoneID(from: &reader))
        case 3: self = .database(try ZoneID(from: &reader))
        default: throw ByteReader.Malformed()
        }
    }

    fileprivate func write(to writer: inout ByteWriter) {
        switch self {
        case .query(let name, let zone, let event, let fields):
            writer.write(byte: 1)
            writer.write(name)
            zone.write(to: &writer)
            writer.write(byte: event.storedBit)
            fields.write(to: &writer)
        case .zone(let zone):
            writer.write(byte: 2)
            zone.write(to: &writer)
        case .database(let zone):
            writer.write(byte: 3)
            zone.write(to: &writer)
        }
    }
}
