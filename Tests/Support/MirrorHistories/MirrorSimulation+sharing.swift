import CloudKit
import CoreData
import StratusCoreDataMirroring
import StratusTesting

// What the person shares with the guest. Any of it may fail: the network may be away, or the object is shared already.
extension MirrorSimulation {
    private var guestIndex: Int? { devices.firstIndex(where: \.isGuests) }

    /// There are no guests in a history that was made simpler.
    private func ownersIndex(_ device: Int) -> Int { device % max(1, devices.count { !$0.isGuests }) }

    func share(_ sharing: MirrorSharing, _ incidents: [MirrorIncident]) async throws {
        let index = ownersIndex(sharing.device)
        guard guestIndex != nil, let objectID = try note(sharing.object, on: index) else { return }
        try await atMoments(of: index, incidents) { container in
            do {
                let existing = try sharing.share.flatMap { try Self.share($0, in: container) }
                let (_, share, _) = try await container.share([objectID], to: existing)
                guard existing == nil else { return }
                if let url = share.url { links.append(url) }
                try await invite(sharing.permission, to: share, container)
            } catch {
                note(["  which fails: \(error)"])
            }
        }
    }

    func permit(_ device: Int, _ number: Int, _ permission: MirrorPermission) async {
        guard guestIndex != nil, let container = devices[ownersIndex(device)].container else { return }
        do {
            guard let share = try Self.share(number, in: container) else { return }
            try await invite(permission, to: share, container)
        } catch {
            note(["  which fails: \(error)"])
        }
    }

    private func invite(
        _ permission: MirrorPermission, to share: CKShare, _ container: NSPersistentCloudKitContainer
    ) async throws {
        guard let store = container.persistentStoreCoordinator.persistentStores.first else { return }
        let info = CKUserIdentity.LookupInfo(emailAddress: "\(Self.guest)@example.com")
        let guest = share.participants.first { $0.role != .owner }
        switch permission {
        case .none:
            if let guest { share.removeParticipant(guest) }
        case .readOnly, .readWrite:
            let found = try await container.fetchParticipants(matching: [info], into: store).first
            guard let participant = guest ?? found else { return }
            participant.permission = permission == .readOnly ? .readOnly : .readWrite
            if guest == nil { share.addParticipant(participant) }
        }
        try await container.persistUpdatedShare(share, in: store)
    }

    func join(_ number: Int) async {
        guard let index = guestIndex, !links.isEmpty, let container = devices[index].container,
            let store = container.persistentStoreCoordinator.persistentStores.first
        else { return }
        do {
            let metadata = try await devices[index].device.container.shareMetadata(for: links[number % links.count])
            try await container.acceptShareInvitations(from: [metadata], into: store)
        } catch {
            note(["  which fails: \(error)"])
        }
    }

    func leave(_ number: Int) async {
        guard let index = guestIndex, let container = devices[index].container else { return }
        do {
            guard let share = try Self.share(number, in: container) else { return }
            try await container.purgeObjectsAndRecordsInZone(with: share.recordID.zoneID, in: nil)
        } catch {
            note(["  which fails: \(error)"])
        }
    }

    /// Returns a share of those that a device knows.
    private static func share(_ number: Int, in container: NSPersistentCloudKitContainer) throws -> CKShare? {
        let shares = try container.fetchShares(in: nil).sorted {
            $0.recordID.zoneID.zoneName < $1.recordID.zoneID.zoneName
        }
        return shares.isEmpty ? nil : shares[number % shares.count]
    }

    /// Returns the identity of a note; nil if there is none.
    private func note(_ number: Int, on index: Int) throws -> NSManagedObjectID? {
        guard let context = devices[index].context else { return nil }
        return try context.performAndWait {
            context.reset()
            let notes = try MirroredGraph.objects("Note", in: context)
            return notes.isEmpty ? nil : notes[number % notes.count].objectID
        }
    }

    // MARK: - The end

    /// The guest has what the person has in the zones that they share, and nothing else.
    func checkGuest() async throws {
        guard let index = guestIndex, let container = devices[index].container else { return }
        let zones = try await devices[index].device.container.sharedCloudDatabase.allRecordZones().map(
            \.zoneID.zoneName)
        let known = try container.fetchShares(in: nil).map(\.recordID.zoneID.zoneName)
        guard Set(zones) == Set(known) else {
            throw MirrorViolation(.isOnServer, "the guest knows the zones \(known) of \(zones)")
        }
        let (owners, guests) = (try zoneLines(0, zones), try zoneLines(index, zones))
        guard owners == guests else { throw MirrorViolation(.isEqual, "A \(owners), guest \(guests)") }
    }

    /// Returns the objects in some zones as lines, with the relationships inside of a zone.
    private func zoneLines(_ index: Int, _ zones: [String]) throws -> [String] {
        guard let context = devices[index].context, let container = devices[index].container else { return [] }
        return try context.performAndWait {
            context.reset()
            return try MirroredGraph.lines(in: context) { container.recordID(for: $0.objectID)?.zoneID.zoneName }
                .filter { zones.contains($0.zone) }.map(\.line).sorted()
        }
    }
}
