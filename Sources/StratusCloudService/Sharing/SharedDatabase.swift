import StratusCloudModel
import StratusCloudStore

/// A zone of somebody else as a user's shared database remembers it. The partition keeps the zones that the user was
/// let into, and the feed of what was seen of them; what they may see of them now stands with the zones themselves.
struct SharedZone: StoredValue, Hashable {
    static let format: UInt8 = 1

    var zoneID: ZoneID
    /// The zone's number in its owner's partition, and what was last seen of it; empty if nothing is to be seen.
    var seen: [UInt8] = []
    /// The zone's place in the list of changed zones; 0 before the first.
    var changeVersion: UInt64 = 0

    init(zoneID: ZoneID) { self.zoneID = zoneID }

    init(from reader: inout ByteReader) throws {
        zoneID = ZoneID(zoneName: try reader.string(), ownerRecordName: try reader.string())
        seen = Array(try reader.slice())
        changeVersion = try reader.unsigned()
    }

    func write(to writer: inout ByteWriter) {
        writer.write(zoneID.zoneName)
        writer.write(zoneID.ownerRecordName ?? "")
        writer.write(bytes: seen)
        writer.write(unsigned: changeVersion)
    }

    /// What the zone is called in the keys of the shared database.
    static func name(_ zoneID: ZoneID) -> String { "\(zoneID.ownerRecordName ?? "")/\(zoneID.zoneName)" }

    /// Reads ``name(_:)`` back.
    static func zoneID(named name: String) -> ZoneID {
        let parts = name.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
        return ZoneID(zoneName: String(parts.last ?? ""), ownerRecordName: String(parts.first ?? ""))
    }

    static func all(in transaction: any ReadTransaction) throws -> [SharedZone] {
        try transaction.entries(in: Keyspace.zones, limit: ShareLimits.zonesPerSharedDatabase)
            .map { try SharedZone(stored: $0.value) }
    }

    /// What there is to see of a zone now: as many bytes as there are shares, and others whenever one of them changed.
    static func sight(_ view: ZoneView, in transaction: any ReadTransaction) throws -> [UInt8] {
        guard let access = view.access else { return [] }
        var writer = ByteWriter()
        writer.write(unsigned: view.number.rawValue)
        if access.whole != nil {
            writer.write(unsigned: view.header.version)
            return writer.bytes
        }
        let numbers = access.grants.keys.sorted()
        let shares = try transaction.get(numbers.map { Keyspace.share(zone: view.number, $0) })
        for (number, bytes) in zip(numbers, shares) {
            guard let share = try bytes.map({ try StoredShare(stored: $0) }) else { continue }
            writer.write(unsigned: number.rawValue)
            writer.write(unsigned: share.changed)
        }
        return writer.bytes
    }
}

extension CloudService {
    /// Notes that a user may be let into a zone. Before that happens: a note of a zone that nobody sees says nothing.
    func noteSharedZone(_ zone: ShareGUID, of user: String, in context: CloudContext) async throws(CloudError) {
        guard zone.owner != user else { return }
        let partition = Partition.sharedDatabase(of: user, in: context)
        let shared = SharedZone(zoneID: ZoneID(zoneName: zone.zoneName, ownerRecordName: zone.owner))
        let key = Keyspace.zone(SharedZone.name(shared.zoneID))
        try await writing(partition) { transaction in
            guard try transaction.get(key) == nil else { return }
            guard try SharedZone.all(in: transaction).count < ShareLimits.zonesPerSharedDatabase else {
                throw CloudError(
                    .badRequest,
                    "others share \(ShareLimits.zonesPerSharedDatabase) zones with this user, which is the maximum")
            }
            transaction.set(key, shared)
        }
    }

    /// The zones that others share with a user now, by owner and name; each with what is to be seen of it.
    func sharedZones(
        of caller: Caller
    ) async throws(CloudError) -> [(zoneID: ZoneID, sight: [UInt8], zone: Zone)] {
        let user = caller.authorRecordName
        let noted = try await reading(.sharedDatabase(of: user, in: caller.context)) { try SharedZone.all(in: $0) }
        let byOwner = Dictionary(grouping: noted.map(\.zoneID)) { $0.ownerRecordName ?? "" }
        var found: [(zoneID: ZoneID, sight: [UInt8], zone: Zone)] = []
        for (_, zoneIDs) in byOwner.sorted(by: { $0.key < $1.key }) {
            var addresses: [DatabaseAddress] = []
            for zoneID in zoneIDs { addresses.append(try DatabaseAddress(.shared, zoneID, caller)) }
            guard let partition = addresses.first?.partition else { continue }
            found += try await reading(partition) { [addresses, seals] transaction in
                let counters = try DatabaseCounters.read(in: transaction)
                return try addresses.compactMap { address in
                    guard let view = try address.view(in: transaction) else { return nil }
                    return (
                        address.zoneID, try SharedZone.sight(view, in: transaction),
                        Self.sharedZone(address, view, counters, seals)
                    )
                }
            }
        }
        return found
    }

    /// A zone as a participant sees it.
    static func sharedZone(
        _ address: DatabaseAddress, _ view: ZoneView, _ counters: DatabaseCounters, _ seals: Seals
    ) -> Zone {
        let token = SharedSyncToken(knowing: view, counters)
        return Zone(
            zoneID: address.zoneID, syncToken: token.text(for: address, seals), atomic: true,
            share: view.header.sharing.whole.map { _ in Reference(recordName: SystemRecordType.zoneShareName) })
    }

    /// Enters into a user's shared database what changed in the zones of others since it was last looked at.
    func observeSharedZones(as caller: Caller) async throws(CloudError) {
        let partition = Partition.sharedDatabase(of: caller.authorRecordName, in: caller.context)
        var sights: [String: [UInt8]] = [:]
        for found in try await sharedZones(of: caller) { sights[SharedZone.name(found.zoneID)] = found.sight }
        let current = sights
        let known = try await reading(partition) { try SharedZone.all(in: $0) }
        guard known.contains(where: { $0.seen != current[SharedZone.name($0.zoneID)] ?? [] }) else { return }
        let origin = changeOrigin
        try await writing(partition) { transaction in
            var counters = try DatabaseCounters.read(in: transaction)
            for var zone in try SharedZone.all(in: transaction) {
                let name = SharedZone.name(zone.zoneID)
                let sight = current[name] ?? []
                guard zone.seen != sight else { continue }
                if zone.changeVersion > 0 { transaction.clear(Keyspace.zoneChange(version: zone.changeVersion)) }
                counters.countChange(origin, in: transaction)
                if sight.isEmpty {
                    ZoneTombstone.set(name, .deleted, counters, at: origin.now, in: transaction)
                    zone.changeVersion = 0
                } else {
                    try ZoneTombstone.clear(name, in: transaction)
                    zone.changeVersion = counters.changeVersion
                    transaction.set(Keyspace.zoneChange(version: counters.changeVersion), Array(name.utf8))
                }
                zone.seen = sight
                transaction.set(Keyspace.zone(name), zone)
            }
            transaction.set(Keyspace.counters, counters)
        }
    }
}
