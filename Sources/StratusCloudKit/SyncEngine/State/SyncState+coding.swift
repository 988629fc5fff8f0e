import Foundation

// The bytes of a serialization: a version, then texts and lists, each after its length. Numbers are written seven bits at a time.
extension SyncState {
    /// The only version there is.
    static let codingVersion: UInt64 = 2

    func encoded() -> Data {
        var writer = StateWriter()
        writer.number(Self.codingVersion)
        writer.text(userName)
        writer.text(databaseToken)
        writer.text(subscriptionID)
        writer.flag(hasUntrackedChanges || isSendingUntrackedChanges)
        let behind = zonesBehind
        let rest = zones.keys.filter { zones[$0]?.isBehind == false }
            .sorted { ($0.ownerName, $0.zoneName) < ($1.ownerName, $1.zoneName) }
        writer.list(behind + rest) { writer, zoneID in
            writer.zone(zoneID)
            writer.text(zones[zoneID]?.token)
            writer.flag(zones[zoneID]?.isBehind ?? false)
        }
        writer.list(databaseChanges.changes) { writer, change in
            if case .saveZone(let zone) = change {
                writer.number(UInt64(zone.encryptionScope.rawValue) + 1)
            } else {
                writer.number(0)
            }
            writer.zone(change.zoneID)
        }
        writer.list(recordChanges.changes) { writer, change in
            if case .saveRecord = change { writer.flag(true) } else { writer.flag(false) }
            writer.zone(change.recordID.zoneID)
            writer.text(change.recordID.recordName)
        }
        let order = unfollowed.keys.sorted { ($0.ownerName, $0.zoneName) < ($1.ownerName, $1.zoneName) }
        writer.list(order) { writer, zoneID in
            writer.zone(zoneID)
            writer.list((unfollowed[zoneID] ?? [:]).sorted { $0.key < $1.key }) { writer, record in
                writer.text(record.key)
                writer.text(record.value)
            }
        }
        writer.flag(unlisted != nil)
        writer.list((unlisted ?? []).sorted { ($0.ownerName, $0.zoneName) < ($1.ownerName, $1.zoneName) }) {
            $0.zone($1)
        }
        return writer.data
    }

    /// - Throws: ``StateReader/Failure``
    init(_ data: Data) throws {
        var reader = StateReader(data)
        let version = try reader.number()
        guard version == Self.codingVersion else { throw StateReader.Failure("its version is \(version)") }
        self.init()
        userName = try reader.text()
        databaseToken = try reader.text()
        subscriptionID = try reader.text()
        hasUntrackedChanges = try reader.flag()
        for _ in 0..<(try reader.count()) {
            let zoneID = try reader.zone()
            let token = try reader.text()
            setZone(zoneID, Zone(token: token, isBehind: try reader.flag()))
        }
        var zoneChanges: [CKSyncEngine.PendingDatabaseChange] = []
        for _ in 0..<(try reader.count()) {
            let kind = try reader.number()
            let zoneID = try reader.zone()
            guard kind > 0 else {
                zoneChanges.append(.deleteZone(zoneID))
                continue
            }
            guard let scope = CKRecordZone.EncryptionScope(rawValue: Int(clamping: kind - 1)) else {
                throw StateReader.Failure("a zone has no such encryption scope")
            }
            let zone = CKRecordZone(zoneID: zoneID)
            zone.encryptionScope = scope
            zoneChanges.append(.saveZone(zone))
        }
        _ = databaseChanges.add(zoneChanges)
        var changes: [CKSyncEngine.PendingRecordZoneChange] = []
        for _ in 0..<(try reader.count()) {
            let isSave = try reader.flag()
            let zoneID = try reader.zone()
            let recordID = CKRecord.ID(recordName: try reader.requiredText(), zoneID: zoneID)
            changes.append(isSave ? .saveRecord(recordID) : .deleteRecord(recordID))
        }
        _ = recordChanges.add(changes)
        for _ in 0..<(try reader.count()) {
            let zoneID = try reader.zone()
            var records: [String: CKRecord.RecordType] = [:]
            for _ in 0..<(try reader.count()) { records[try reader.requiredText()] = try reader.requiredText() }
            setUnfollowed(records, of: zoneID)
        }
        let isListing = try reader.flag()
        var zoneIDs: Set<CKRecordZone.ID> = []
        for _ in 0..<(try reader.count()) { zoneIDs.insert(try reader.zone()) }
        if isListing { setUnlisted(zoneIDs) }
        guard reader.isAtEnd else { throw StateReader.Failure("there is something behind its end") }
    }
}

/// Writes the parts of a state.
struct StateWriter {
    private var bytes: [UInt8] = []
    private var zones: [CKRecordZone.ID: UInt64] = [:]

    var data: Data { Data(bytes) }

    mutating func number(_ number: UInt64) {
        var rest = number
        while rest > 127 {
            bytes.append(UInt8(truncatingIfNeeded: rest) | 128)
            rest >>= 7
        }
        bytes.append(UInt8(rest))
    }

    mutating func flag(_ flag: Bool) { bytes.append(flag ? 1 : 0) }

    /// The length and one more, so that 0 says that there is none.
    mutating func text(_ text: String?) {
        guard let text else { return number(0) }
        number(UInt64(text.utf8.count) + 1)
        bytes.append(contentsOf: text.utf8)
    }

    /// A zone is spelled out once; then its number does.
    mutating func zone(_ zoneID: CKRecordZone.ID) {
        if let known = zones[zoneID] { return number(known) }
        let next = UInt64(zones.count)
        zones[zoneID] = next
        number(next)
        text(zoneID.zoneName)
        text(zoneID.ownerName)
    }

    mutating func list<Element>(_ list: [Element], _ write: (inout StateWriter, Element) -> Void) {
        number(UInt64(list.count))
        for element in list { write(&self, element) }
    }
}

/// Reads the parts of a state; looks at every bound.
struct StateReader {
    /// Why it cannot be read.
    struct Failure: Error, Hashable, CustomStringConvertible {
        let description: String
        init(_ description: String) { self.description = description }
    }

    private let bytes: [UInt8]
    private var place = 0
    private var zones: [CKRecordZone.ID] = []

    init(_ data: Data) { bytes = Array(data) }

    var isAtEnd: Bool { place == bytes.count }

    mutating func byte() throws -> UInt8 {
        guard place < bytes.count else { throw Failure("it ends too early") }
        defer { place += 1 }
        return bytes[place]
    }

    mutating func number() throws -> UInt64 {
        var number: UInt64 = 0
        for shift in stride(from: UInt64(0), to: 63, by: 7) {
            let byte = try byte()
            number |= UInt64(byte & 127) << shift
            if byte < 128 { return number }
        }
        throw Failure("a number is too large")
    }

    mutating func flag() throws -> Bool {
        let byte = try byte()
        guard byte <= 1 else { throw Failure("a flag is neither set nor not") }
        return byte == 1
    }

    /// How many elements follow, each of a byte at least.
    mutating func count() throws -> Int {
        let count = try number()
        guard count <= UInt64(bytes.count - place) else { throw Failure("it ends too early") }
        return Int(count)
    }

    mutating func text() throws -> String? {
        let length = try number()
        guard length > 0 else { return nil }
        guard length - 1 <= UInt64(bytes.count - place) else { throw Failure("it ends too early") }
        let end = place + Int(length - 1)
        defer { place = end }
        guard let text = String(validating: bytes[place..<end], as: UTF8.self) else {
            throw Failure("a text is not UTF-8")
        }
        return text
    }

    mutating func requiredText() throws -> String {
        guard let text = try text() else { throw Failure("a name is missing") }
        return text
    }

    mutating func zone() throws -> CKRecordZone.ID {
        let number = try number()
        if number < UInt64(zones.count) { return zones[Int(number)] }
        guard number == UInt64(zones.count) else { throw Failure("there is no such zone") }
        let zoneID = CKRecordZone.ID(zoneName: try requiredText(), ownerName: try requiredText())
        zones.append(zoneID)
        return zoneID
    }
}
