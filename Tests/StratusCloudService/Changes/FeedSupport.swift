import StratusCloudModel
import StratusCloudStore
import Testing

@testable import StratusCloudService

extension TestCloud {
    /// A page of a zone's changes.
    func changes(
        _ zone: String, since token: String? = nil, limit: Int? = nil, keys: [String]? = nil, types: [String]? = nil,
        reverse: Bool = false, as caller: Caller? = nil
    ) async throws -> ZoneChangesPage {
        try await service.recordChanges(
            ZoneChangesRequest(
                zoneID: ZoneID(zoneName: zone), syncToken: token, resultsLimit: limit, desiredKeys: keys,
                desiredRecordTypes: types, reverse: reverse), in: .private, as: caller ?? user())
    }

    /// A page of the changed zones.
    func databaseChanges(
        since token: String? = nil, limit: Int? = nil, in scope: DatabaseScope = .private, as caller: Caller? = nil
    ) async throws -> DatabaseChangesPage {
        try await service.databaseChanges(
            DatabaseChangesRequest(syncToken: token, resultsLimit: limit), in: scope, as: caller ?? user())
    }

    func deleteZone(_ name: String) async throws {
        let results = try await service.modifyZones(
            [ZoneOperation(.delete, ZoneID(zoneName: name))], in: .private, as: user())
        guard case .deleted? = results.first else { throw Unexpected(description: "\(results)") }
    }

    /// The same data under a service that was started anew.
    func restarted() -> TestCloud { TestCloud(self, store: store) }

    /// A service over a copy of everything that is stored now, as from a backup.
    func restored(from backup: Backup) async throws -> TestCloud {
        let store = MemoryStore()
        for (partition, entries) in backup.partitions {
            try await store.write(partition) { transaction in
                for entry in entries { transaction.set(entry.key, entry.value) }
            }
        }
        return TestCloud(self, store: store)
    }

    /// A copy of everything that a feed depends on.
    func backup() async throws -> Backup {
        var backup = Backup()
        for partition in [Partition.directory, .context(context), database] {
            backup.partitions[partition] = try await store.read(partition) { transaction in
                try transaction.entries(in: KeyRange(prefix: Key([])), limit: .max)
            }
        }
        return backup
    }

    /// The private database that tests use.
    var database: Partition { .privateDatabase(of: user().userRecordName ?? "", in: context) }
}

struct Backup: Sendable {
    var partitions: [Partition: [StoreEntry]] = [:]
}

extension ZoneChangesPage {
    /// Names of records, with a minus where they are deleted.
    var names: [String] {
        changes.map { change in
            switch change {
            case .saved(let record): record.recordName
            case .deleted(let name, _, _): "-" + name
            }
        }
    }
}

extension DatabaseChangesPage {
    /// Names of zones, with a minus where they are deleted.
    var names: [String] {
        zones.map { zone in
            switch zone {
            case .zone(let zone): zone.zoneID.zoneName
            case .deleted(let zoneID, _): "-" + zoneID.zoneName
            case .failed(let zoneID, _): "!" + zoneID.zoneName
            }
        }
    }
}

/// Expects the error of a token that cannot be continued.
func expectExpired<Result>(
    _ words: String? = nil, at location: SourceLocation = #_sourceLocation, _ body: () async throws -> Result
) async {
    let error = await #expect(throws: CloudError.self, sourceLocation: location) { try await body() }
    #expect(error?.code == .badRequest, sourceLocation: location)
    #expect(error?.extensionCode == .changeTokenExpired, sourceLocation: location)
    guard let words else { return }
    #expect(error?.reason.contains(words) == true, "\(error?.reason ?? "")", sourceLocation: location)
}
