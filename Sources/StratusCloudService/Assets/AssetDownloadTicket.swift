import StratusCloudModel

/// What an address to fetch bytes from stands for: one field of one record, for whom it was made. Whether they may
/// still read the record is asked when the bytes are fetched.
struct AssetDownloadTicket: Sendable {
    let caller: Caller
    let scope: DatabaseScope
    let zoneID: ZoneID
    let recordName: String
    let fieldName: String
    let fileChecksum: String
    /// Milliseconds since 1970-01-01 UTC.
    let expires: Int64

    init(
        caller: Caller, scope: DatabaseScope, zoneID: ZoneID, recordName: String, fieldName: String,
        fileChecksum: String, expires: Int64
    ) {
        self.caller = caller
        self.scope = scope
        self.zoneID = zoneID
        self.recordName = recordName
        self.fieldName = fieldName
        self.fileChecksum = fileChecksum
        self.expires = expires
    }

    func text(_ seals: Seals) -> String {
        var writer = ByteWriter()
        writer.write(caller.context.container.rawValue)
        writer.write(caller.context.environment.rawValue)
        writer.write(byte: caller.principal.tag)
        writer.write(optional: caller.userRecordName) { $0.write($1) }
        writer.write(scope.rawValue)
        writer.write(zoneID.zoneName)
        writer.write(optional: zoneID.ownerRecordName) { $0.write($1) }
        writer.write(recordName)
        writer.write(fieldName)
        writer.write(fileChecksum)
        writer.write(signed: expires)
        return TicketText.encode(seals.seal(writer.bytes, for: .assetDownload, boundTo: []))
    }

    /// Reads what ``text(_:)`` made; nil for anything else.
    init?(_ text: String, _ seals: Seals) {
        guard let sealed = TicketText.decode(text), let payload = seals.open(sealed, for: .assetDownload, boundTo: []),
            let ticket = try? ByteReader.read(payload, Self.init(from:))
        else { return nil }
        self = ticket
    }

    private init(from reader: inout ByteReader) throws {
        guard let container = ContainerIdentifier(try reader.string()),
            let environment = CloudEnvironment(rawValue: try reader.string()),
            let principal = Caller.Principal(
                tag: try reader.byte(), name: try reader.optional { reader in try reader.string() }),
            let scope = DatabaseScope(rawValue: try reader.string())
        else { throw ByteReader.Malformed() }
        let zoneName = try reader.string()
        let owner = try reader.optional { reader in try reader.string() }
        self.init(
            caller: Caller(
                context: CloudContext(container: container, environment: environment), principal: principal),
            scope: scope, zoneID: ZoneID(zoneName: zoneName, ownerRecordName: owner),
            recordName: try reader.string(), fieldName: try reader.string(), fileChecksum: try reader.string(),
            expires: try reader.signed())
    }
}

extension Caller.Principal {
    fileprivate var tag: UInt8 {
        switch self {
        case .anonymous: 0
        case .user: 1
        case .serverToServer: 2
        case .administrator: 3
        }
    }

    fileprivate init?(tag: UInt8, name: String?) {
        switch (tag, name) {
        case (0, nil): self = .anonymous
        case (1, let name?): self = .user(name)
        case (2, let name?): self = .serverToServer(name)
        case (3, let name): self = .administrator(actingAs: name)
        default: return nil
        }
    }
}
