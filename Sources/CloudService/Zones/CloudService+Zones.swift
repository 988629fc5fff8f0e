import CloudModel
import CloudStore

extension CloudService {
    /// `zones/list`: the default zone first, then the custom ones by name. Empty in the shared database, in which
    /// nothing is shared.
    public func listZones(in scope: DatabaseScope, as caller: Caller) async throws(CloudError) -> [Zone] {
        if scope == .shared {
            try Authorization.checkDatabase(scope, caller)
            return []
        }
        let address = try DatabaseAddress(scope, nil, caller)
        let headers = try await reading(address.partition) { transaction in
            try Self.allZones(in: transaction)
        }
        return headers.map { zone(named: $0.name, $0.header, address) }
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
        let name = address.zoneID.zoneName
        guard let header = try await reading(address.partition, { try ZoneHeader.find(name, in: $0) }) else {
            throw Self.zoneNotFound(address.zoneID)
        }
        return zone(named: name, header, address)
    }

    /// `zones/modify`: one result for each operation, in order; each stands alone.
    ///
    /// Creating a zone that exists succeeds and leaves it as it is. Only private databases have custom zones.
    public func modifyZones(
        _ operations: [ZoneOperation], in scope: DatabaseScope, as caller: Caller
    ) async throws(CloudError) -> [ZoneResult] {
        try Authorization.checkDatabase(scope, caller)
        try checkCount(operations.count)
        var seen: Set<String> = []
        for operation in operations where !seen.insert(operation.zoneID.zoneName).inserted {
            throw CloudError(
                .badRequest, "You can't modify the same zone twice: zone '\(operation.zoneID.zoneName)'")
        }
        var results: [ZoneResult] = []
        for operation in operations {
            do {
                results.append(try await modify(operation, scope, caller))
            } catch {
                results.append(.failed(operation.zoneID, error))
            }
        }
        return results
    }

    // MARK: - One zone

    private func modify(
        _ operation: ZoneOperation, _ scope: DatabaseScope, _ caller: Caller
    ) async throws(CloudError) -> ZoneResult {
        let name = operation.zoneID.zoneName
        guard scope == .private else {
            throw CloudError(
                .badRequest, "zones cannot be created or deleted in the \(scope.rawValue) database: zone '\(name)'")
        }
        guard !Names.isReserved(name) else {
            throw CloudError(
                .badRequest, "zone '\(name)' cannot be created or deleted: names with '_' are the system's")
        }
        let address = try DatabaseAddress(scope, operation.zoneID, caller)
        switch operation.kind {
        case .create:
            let watch = try await zoneWatch(address.zoneID, caller)
            let (header, notifications) = try await writing(address.partition) {
                transaction -> (ZoneHeader, [QueuedNotification]) in
                if let existing = try ZoneHeader.find(name, in: transaction) { return (existing, []) }
                let header = try Self.createZone(named: name, in: transaction)
                return (header, try watch.created(in: transaction))
            }
            deliver(notifications, in: caller.context)
            return .zone(zone(named: name, header, address))
        case .delete:
            let watch = try await zoneWatch(address.zoneID, caller)
            let notifications = try await writing(address.partition) { transaction -> [QueuedNotification]? in
                try Self.deleteZone(named: name, in: transaction) ? try watch.deleted(in: transaction) : nil
            }
            guard let notifications else { throw Self.zoneNotFound(address.zoneID) }
            deliver(notifications, in: caller.context)
            try await clearDeletedZones(in: address.partition)
            return .deleted(address.zoneID)
        }
    }

    private static func createZone(
        named name: String, in transaction: any WriteTransaction
    ) throws -> ZoneHeader {
        var counters = try DatabaseCounters.read(in: transaction)
        guard counters.customZones < UInt64(ServiceLimits.zonesPerDatabase) else {
            throw CloudError(
                .badRequest,
                "the database has \(counters.customZones) zones, which is the maximum; zone '\(name)' was not created")
        }
        var header = ZoneHeader(number: counters.nextZone)
        counters.nextZone = ZoneNumber(rawValue: counters.nextZone.rawValue + 1)
        counters.customZones += 1
        transaction.set(Keyspace.counters, counters)
        try ZoneChange.record(&header, named: name, in: transaction)
        return header
    }

    /// Takes the zone away at once; its contents, unreachable from then on, are cleared in steps afterwards.
    private static func deleteZone(named name: String, in transaction: any WriteTransaction) throws -> Bool {
        guard let header = try ZoneHeader.find(name, in: transaction) else { return false }
        var counters = try DatabaseCounters.read(in: transaction)
        transaction.clear(Keyspace.zoneChange(version: header.changeVersion))
        counters.changeVersion += 1
        counters.customZones -= min(1, counters.customZones)
        transaction.set(Keyspace.zoneChange(version: counters.changeVersion), Array(name.utf8))
        transaction.set(Keyspace.counters, counters)
        transaction.clear(Keyspace.zone(name))
        transaction.set(Keyspace.deletedZone(header.number), [])
        return true
    }

    /// Clears what deleted zones held, a bounded number of entries in each transaction. Also takes up what a crash
    /// left from earlier deletions.
    private func clearDeletedZones(in partition: Partition) async throws(CloudError) {
        while try await writing(partition, { try Self.clearStep(in: $0) }) {}
    }

    private static func clearStep(in transaction: any WriteTransaction) throws -> Bool {
        guard let marker = try transaction.entries(in: Keyspace.deletedZones, limit: 1).first,
            let number = Keyspace.deletedZoneNumber(marker.key)
        else { return false }
        for range in Keyspace.contents(of: number) {
            let entries = try transaction.entries(in: range, limit: ServiceLimits.clearedEntriesPerStep)
            guard let last = entries.last else { continue }
            transaction.clear(KeyRange(lower: range.lower, upper: last.key.next))
            return true
        }
        transaction.clear(marker.key)
        return true
    }

    // MARK: - Answers

    /// Names of zones with their headers, the default zone first.
    static func allZones(in transaction: any ReadTransaction) throws -> [(name: String, header: ZoneHeader)] {
        var zones = [(name: ZoneID.defaultZoneName, header: try ZoneHeader.default(in: transaction))]
        let limit = ServiceLimits.zonesPerDatabase + 1
        for entry in try transaction.entries(in: Keyspace.zones, limit: limit) {
            let name = String(decoding: entry.key.bytes.dropFirst(), as: UTF8.self)
            if name != ZoneID.defaultZoneName { zones.append((name, try ZoneHeader(stored: entry.value))) }
        }
        return zones
    }

    private func zone(named name: String, _ header: ZoneHeader, _ address: DatabaseAddress) -> Zone {
        let zoneID = ZoneID(zoneName: name, ownerRecordName: address.ownerRecordName)
        return Zone(
            zoneID: zoneID, syncToken: SyncToken(header).text(in: address.partition, seals), atomic: !zoneID.isDefault)
    }

    static func zoneNotFound(_ zoneID: ZoneID) -> CloudError {
        CloudError(.zoneNotFound, "Zone '\(zoneID.zoneName)' does not exist")
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
