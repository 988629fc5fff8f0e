import StratusCloudModel
import StratusCloudStore

extension CloudService {
    /// `zones/list`: the default zone first, then the custom ones by name. In the shared database the zones that others
    /// share with the caller, by owner and name.
    public func listZones(in scope: DatabaseScope, as caller: Caller) async throws(CloudError) -> [Zone] {
        if scope == .shared {
            try Authorization.checkDatabase(scope, caller)
            return try await sharedZones(of: caller).map(\.zone)
        }
        let address = try DatabaseAddress(scope, nil, caller)
        let (headers, counters) = try await reading(address.partition) { transaction in
            (try Self.allZones(in: transaction), try DatabaseCounters.read(in: transaction))
        }
        return headers.map { zone(named: $0.name, $0.header, counters, address) }
    }

    /// `zones/lookup`: one result for each zone, in order.
    public func lookupZones(
        _ zoneIDs: [ZoneID], in scope: DatabaseScope, as caller: Caller
    ) async throws(CloudError) -> [ZoneResult] {
        try Authorization.checkDatabase(scope, caller)
        try checkCount(zoneIDs.count)
        var results: [ZoneResult] = []
        for zoneID in zoneIDs {
            do {
                results.append(.zone(try await lookup(zoneID, scope, caller)))
            } catch {
                results.append(.failed(zoneID, error))
            }
        }
        return results
    }

    private func lookup(
        _ zoneID: ZoneID, _ scope: DatabaseScope, _ caller: Caller
    ) async throws(CloudError) -> Zone {
        let address = try DatabaseAddress(scope, zoneID, caller)
        guard scope != .shared else { return try await lookupShared(address) }
        let name = address.zoneID.zoneName
        let (header, counters) = try await reading(address.partition) { transaction in
            (try ZoneHeader.find(name, in: transaction), try DatabaseCounters.read(in: transaction))
        }
        guard let header else { throw try await zoneNotFound(address.zoneID, in: address.partition) }
        return zone(named: name, header, counters, address)
    }

    private func lookupShared(_ address: DatabaseAddress) async throws(CloudError) -> Zone {
        let zone = try await reading(address.partition) { [seals] transaction -> Zone? in
            guard let view = try address.view(in: transaction) else { return nil }
            return Self.sharedZone(address, view, try DatabaseCounters.read(in: transaction), seals)
        }
        guard let zone else { throw Self.zoneNotFound(address.zoneID) }
        return zone
    }

    /// `zones/modify`: one result for each operation, in order; each stands alone.
    ///
    /// Creating a zone that exists succeeds and leaves it as it is. Only private databases have custom zones; to delete
    /// one from the shared database is to leave all that is shared of it. What was done by a request that has a name is
    /// not done again when it comes again.
    public func modifyZones(
        _ operations: [ZoneOperation], in scope: DatabaseScope, as caller: Caller
    ) async throws(CloudError) -> [ZoneResult] {
        try await modifyZones(operations, in: scope, as: caller, mayDeleteReserved: false)
    }

    /// As ``modifyZones(_:in:as:)``.
    /// - Parameter mayDeleteReserved: Whether zones of the service itself may go, too: with their owner.
    func modifyZones(
        _ operations: [ZoneOperation], in scope: DatabaseScope, as caller: Caller, mayDeleteReserved: Bool
    ) async throws(CloudError) -> [ZoneResult] {
        try Authorization.checkDatabase(scope, caller)
        try checkCount(operations.count)
        var seen: Set<String> = []
        for operation in operations
        where !seen.insert(scope == .shared ? SharedZone.name(operation.zoneID) : operation.zoneID.zoneName).inserted {
            throw CloudError(
                .badRequest, "You can't modify the same zone twice: zone '\(operation.zoneID.zoneName)'")
        }
        var results: [ZoneResult] = []
        for operation in operations {
            do {
                results.append(try await modify(operation, scope, caller, mayDeleteReserved: mayDeleteReserved))
            } catch {
                results.append(.failed(operation.zoneID, error))
            }
        }
        return results
    }

    // MARK: - One zone

    private func modify(
        _ operation: ZoneOperation, _ scope: DatabaseScope, _ caller: Caller, mayDeleteReserved: Bool
    ) async throws(CloudError) -> ZoneResult {
        let name = operation.zoneID.zoneName
        if scope == .shared, operation.kind == .delete { return try await leave(operation.zoneID, caller) }
        guard scope == .private else {
            throw CloudError(
                .badRequest, "zones cannot be created or deleted in the \(scope.rawValue) database: zone '\(name)'")
        }
        guard !Names.isReserved(name) || mayDeleteReserved && operation.kind == .delete else {
            throw CloudError(
                .badRequest, "zone '\(name)' cannot be created or deleted: names that begin with '_' are reserved")
        }
        let address = try DatabaseAddress(scope, operation.zoneID, caller)
        let receipt = try ZoneReceipt(operation, caller, at: environment.now())
        switch operation.kind {
        case .create:
            let (origin, watch) = (changeOrigin, try await zoneWatch(address.zoneID, caller))
            let made = try await writing(address.partition) {
                transaction -> (header: ZoneHeader, counters: DatabaseCounters, told: [QueuedNotification])? in
                let existing = try ZoneHeader.find(name, in: transaction)
                let wasDone = try receipt?.isThere(in: transaction) ?? false
                if existing == nil, wasDone { return nil }
                if !wasDone { try receipt?.write(in: transaction) }
                let header = try existing ?? Self.createZone(named: name, by: origin, in: transaction)
                let told = existing == nil ? try watch.created(in: transaction) : []
                return (header, try DatabaseCounters.read(in: transaction), told)
            }
            // It was made by this request, and deleted since.
            guard let made else { throw try await zoneNotFound(address.zoneID, in: address.partition) }
            deliver(made.told, in: caller.context)
            return .zone(zone(named: name, made.header, made.counters, address))
        case .delete:
            let (origin, watch) = (changeOrigin, try await zoneWatch(address.zoneID, caller))
            let told = try await writing(address.partition) {
                transaction -> (notifications: [QueuedNotification], news: SharedNews?)? in
                if try receipt?.isThere(in: transaction) ?? false { return ([], nil) }
                let news = try SharedNews(
                    ofDeleting: address.zoneID, by: caller, id: self.environment.random.uuid(), in: transaction)
                guard try Self.deleteZone(named: name, operation.reason, by: origin, in: transaction) else {
                    return nil
                }
                try receipt?.write(in: transaction)
                news?.queue(at: try DatabaseCounters.read(in: transaction).changeVersion, in: transaction)
                return (try watch.deleted(in: transaction), news)
            }
            guard let told else { throw try await zoneNotFound(address.zoneID, in: address.partition) }
            deliver(told.notifications, in: caller.context)
            deliver(told.news, in: caller.context)
            try await clearDeletedZones(in: address.partition)
            return .deleted(address.zoneID, operation.reason)
        }
    }

    private static func createZone(
        named name: String, by origin: ChangeOrigin, in transaction: any WriteTransaction
    ) throws -> ZoneHeader {
        let counters = try DatabaseCounters.read(in: transaction)
        guard counters.customZones < UInt64(ServiceLimits.zonesPerDatabase) else {
            throw CloudError(
                .badRequest,
                "the database has \(counters.customZones) zones, which is the maximum; zone '\(name)' was not created")
        }
        var header = try newHeader(of: name, in: transaction)
        try ZoneChange.record(&header, named: name, by: origin, in: transaction)
        return header
    }

    /// Takes a number for a zone whose header the caller is going to store.
    static func newHeader(of name: String, in transaction: any WriteTransaction) throws -> ZoneHeader {
        var counters = try DatabaseCounters.read(in: transaction)
        var header = ZoneHeader(number: counters.nextZone)
        header.version = counters.deletedVersion
        counters.nextZone = ZoneNumber(rawValue: counters.nextZone.rawValue + 1)
        if !Names.isReserved(name) { counters.customZones += 1 }
        transaction.set(Keyspace.counters, counters)
        try ZoneTombstone.clear(name, in: transaction)
        return header
    }

    /// Takes the zone away at once; its contents, unreachable from then on, are cleared in steps afterwards.
    static func deleteZone(
        named name: String, _ reason: ZoneDeletionReason, by origin: ChangeOrigin,
        in transaction: any WriteTransaction
    ) throws -> Bool {
        guard let header = try ZoneHeader.find(name, in: transaction) else { return false }
        var counters = try DatabaseCounters.read(in: transaction)
        transaction.clear(Keyspace.zoneChange(version: header.changeVersion))
        counters.countChange(origin, in: transaction)
        if !Names.isReserved(name) { counters.customZones -= min(1, counters.customZones) }
        counters.deletedVersion = max(counters.deletedVersion, header.version)
        ZoneTombstone.set(name, reason, counters, at: origin.now, in: transaction)
        transaction.set(Keyspace.counters, counters)
        transaction.clear(Keyspace.zone(name))
        transaction.set(Keyspace.deletedZone(header.number), Keyspace.zone(name).bytes)
        return true
    }

    /// Clears what deleted zones held, and what the directory knows of their shares, a bounded number of entries in each
    /// transaction. Also takes up what a crash left from earlier deletions.
    func clearDeletedZones(in partition: Partition) async throws(CloudError) {
        let now = environment.now()
        while try await writing(partition, { try Self.clearStep(of: partition, in: $0, at: now) }) {}
        try await runDirectoryErrands(in: partition)
    }

    private static func clearStep(
        of partition: Partition, in transaction: any WriteTransaction, at now: Int64
    ) throws -> Bool {
        guard let marker = try transaction.entries(in: Keyspace.deletedZones, limit: 1).first,
            let number = Keyspace.deletedZoneNumber(marker.key)
        else { return false }
        let cleared = Key(marker.value)
        // Before the zone's contents begin to go, which tell what else must.
        if cleared < Keyspace.zones.upper {
            if try AssetUses(transaction, at: now).releaseStep(of: number) { return true }
            let place = Keyspace.zoneName(of: cleared).flatMap { ShareLedger.Place(partition, zoneName: $0) }
            if let place, try DeletedShares(number, place, at: now, transaction).releaseStep() { return true }
        }
        for range in Keyspace.contents(of: number) where cleared < range.upper {
            // A store may still have to step over every key that was cleared.
            let rest = KeyRange(lower: max(range.lower, cleared), upper: range.upper)
            let entries = try transaction.entries(in: rest, limit: ServiceLimits.clearedEntriesPerStep)
            guard let last = entries.last else { continue }
            if range.lower.bytes.first == Keyspace.Tag.version.rawValue {
                try UsageLedger.countClearing(of: entries, in: transaction)
            }
            let next = last.key.next
            transaction.clear(KeyRange(lower: rest.lower, upper: next))
            transaction.set(marker.key, next.bytes)
            return true
        }
        transaction.clear(marker.key)
        return true
    }

    // MARK: - Answers

    /// Names of zones with their headers, the default zone first.
    static func allZones(in transaction: any ReadTransaction) throws -> [(name: String, header: ZoneHeader)] {
        var zones = [(name: ZoneID.defaultZoneName, header: try ZoneHeader.default(in: transaction))]
        let limit = ServiceLimits.zonesPerDatabase + 1 + ReservedZones.zonesPerDatabase
        for entry in try transaction.entries(in: Keyspace.zones, limit: limit) {
            let name = String(decoding: entry.key.bytes.dropFirst(), as: UTF8.self)
            if name != ZoneID.defaultZoneName { zones.append((name, try ZoneHeader(stored: entry.value))) }
        }
        return zones
    }

    func zone(
        named name: String, _ header: ZoneHeader, _ counters: DatabaseCounters, _ address: DatabaseAddress
    ) -> Zone {
        let token = SyncToken(zone: header, counters)
        return Zone(
            zoneID: address.zoneID(named: name), syncToken: token.text(for: .zone, in: address.partition, seals),
            atomic: name != ZoneID.defaultZoneName,
            share: header.sharing.whole.map { _ in Reference(recordName: SystemRecordType.zoneShareName) })
    }

    static func zoneNotFound(_ zoneID: ZoneID, _ reason: ZoneDeletionReason? = nil) -> CloudError {
        switch reason {
        case .deleted?, nil: CloudError(.zoneNotFound, "Zone '\(zoneID.zoneName)' does not exist")
        case .purged?:
            CloudError(
                .zoneNotFound, "Zone '\(zoneID.zoneName)' was removed by the user", extensionCode: .userDeletedZone)
        case .encryptedDataReset?:
            CloudError(
                .zoneNotFound, "Zone '\(zoneID.zoneName)' was removed with the keys that encrypted its data",
                extensionCode: .userDidResetEncryptedData)
        }
    }

    /// The same with why, where that is still known. A read of its own: whoever asks has failed already.
    func zoneNotFound(_ zoneID: ZoneID, in partition: Partition) async throws(CloudError) -> CloudError {
        try await reading(partition) { try Self.zoneNotFound(zoneID, in: $0) }
    }

    /// The same in a transaction.
    static func zoneNotFound(_ zoneID: ZoneID, in transaction: any ReadTransaction) throws -> CloudError {
        zoneNotFound(zoneID, try ZoneTombstone.reason(of: zoneID.zoneName, in: transaction))
    }

    private func checkCount(_ count: Int) throws(CloudError) {
        guard count <= ServiceLimits.zonesPerRequest else {
            throw CloudError(
                .badRequest,
                "Your request contains \(count) zones which is more than the maximum number of zones in a single "
                    + "request (\(ServiceLimits.zonesPerRequest))")
        }
    }
}
