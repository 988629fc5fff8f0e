import Foundation
import StratusCloudKit
import StratusCoreData

// Objects that are shared with other people.
extension NSPersistentCloudKitContainer {
    /// Shares objects and all that they are related to, which move to the zone of the share. The objects stay the same
    /// in the store.
    ///
    /// Objects that another share has stay there if the graph only leads to them. New objects that are related to shared
    /// ones are shared without this call.
    /// - Parameters:
    ///   - managedObjects: Saved objects of one mirrored store of the private database. Objects of a store of the shared
    ///     database that are not related to shared ones can be added to a share of somebody else, too.
    ///   - share: A share that the store has; nil for a new one, which is saved with its zone.
    /// - Returns: The objects that have moved, the share as the server has it, and the container for inviting people.
    /// - Throws: An error of Cocoa's domain if the objects cannot be shared or nobody is signed in, and `CKError` if the
    ///   share cannot be saved. Then nothing has moved.
    nonisolated(nonsending) public func share(
        _ managedObjects: [NSManagedObject], to share: CKShare?
    ) async throws -> (Set<NSManagedObjectID>, CKShare, CKContainer) {
        try await self.share(managedObjects.map(\.objectID), to: share)
    }

    /// Shares objects as ``share(_:to:)-(_,_)`` does, and calls a block with the result.
    public func share(
        _ managedObjects: [NSManagedObject], to share: CKShare?,
        completion: @escaping @Sendable (Set<NSManagedObjectID>?, CKShare?, CKContainer?, (any Error)?) -> Void
    ) {
        let objectIDs = managedObjects.map(\.objectID)
        Task.detached {
            do {
                let (moved, saved, container) = try await self.share(objectIDs, to: share)
                completion(moved, saved, container, nil)
            } catch {
                completion(nil, nil, nil, error)
            }
        }
    }

    /// Shares the objects with the IDs.
    package func share(
        _ objectIDs: [NSManagedObjectID], to share: CKShare?
    ) async throws -> (Set<NSManagedObjectID>, CKShare, CKContainer) {
        let stores = objectIDs.map(\.persistentStore)
        guard let first = stores.first, let store = first else {
            throw MirroringError.sharing("there are no saved objects to share")
        }
        guard stores.allSatisfy({ $0 === store }) else {
            throw MirroringError.sharing("objects that are shared together have to be saved, in one store")
        }
        let mirror = try mirror(of: store)
        let (moved, saved) = try await mirror.share(objectIDs, to: share)
        return (moved, saved, mirror.plan.container)
    }

    /// Accepts invitations. The shared objects come to the store with the next import, which begins at once.
    /// - Parameters:
    ///   - metadata: Where the links of the shares lead.
    ///   - persistentStore: A mirrored store of the shared database.
    /// - Returns: The accepted invitations.
    /// - Throws: The first error of a share that could not be accepted; the others have been.
    @discardableResult
    public func acceptShareInvitations(
        from metadata: [CKShare.Metadata], into persistentStore: NSPersistentStore
    ) async throws -> [CKShare.Metadata] {
        let mirror = try mirror(of: persistentStore)
        guard mirror.plan.scope == .shared else {
            throw MirroringError.sharing("the store does not have objects that others share")
        }
        return try await mirror.accept(metadata)
    }

    /// Accepts invitations, and calls a block with the result.
    public func acceptShareInvitations(
        from metadata: [CKShare.Metadata], into persistentStore: NSPersistentStore,
        completion: (@Sendable ([CKShare.Metadata]?, (any Error)?) -> Void)? = nil
    ) {
        Task.detached {
            do {
                completion?(try await self.acceptShareInvitations(from: metadata, into: persistentStore), nil)
            } catch {
                completion?(nil, error)
            }
        }
    }

    /// Returns participants to be added to a share.
    /// - Parameter persistentStore: A mirrored store of the container in which the share is.
    /// - Throws: The first error of a person who could not be looked up.
    public func fetchParticipants(
        matching lookupInfos: [CKUserIdentity.LookupInfo], into persistentStore: NSPersistentStore
    ) async throws -> [CKShare.Participant] {
        let found = try await mirror(of: persistentStore).plan.container.shareParticipants(for: lookupInfos)
        return try lookupInfos.compactMap { try found[$0]?.get() }
    }

    /// Finds participants, and calls a block with the result.
    public func fetchParticipants(
        matching lookupInfos: [CKUserIdentity.LookupInfo], into persistentStore: NSPersistentStore,
        completion: @escaping @Sendable ([CKShare.Participant]?, (any Error)?) -> Void
    ) {
        Task.detached {
            do {
                completion(try await self.fetchParticipants(matching: lookupInfos, into: persistentStore), nil)
            } catch {
                completion(nil, error)
            }
        }
    }

    /// Saves a share that was changed, on the server and in the tables of the store.
    /// - Returns: The share as the server has it.
    /// - Throws: `CKError` if the server does not take the share; then the store keeps the former one.
    @discardableResult
    public func persistUpdatedShare(
        _ share: CKShare, in persistentStore: NSPersistentStore
    ) async throws -> CKShare {
        try await mirror(of: persistentStore).save(share)
    }

    /// Saves a share that was changed, and calls a block with the result.
    public func persistUpdatedShare(
        _ share: CKShare, in persistentStore: NSPersistentStore,
        completion: (@Sendable (CKShare?, (any Error)?) -> Void)? = nil
    ) {
        Task.detached {
            do {
                completion?(try await self.persistUpdatedShare(share, in: persistentStore), nil)
            } catch {
                completion?(nil, error)
            }
        }
    }

    /// Deletes a zone with all its records, and its objects from the store. An owner stops sharing them, and a participant
    /// leaves the share.
    /// - Parameter persistentStore: A mirrored store; nil for the one that has the zone.
    /// - Throws: `CKError` if the server does not delete the zone; then the objects stay.
    @discardableResult
    public func purgeObjectsAndRecordsInZone(
        with zoneID: CKRecordZone.ID, in persistentStore: NSPersistentStore?
    ) async throws -> CKRecordZone.ID {
        let mirrors = try persistentStore.map { [try mirror(of: $0)] } ?? openMirrors
        guard let mirror = try mirrors.first(where: { try $0.hasZone(zoneID) }) else {
            throw MirroringError.sharing("no store has objects of zone '\(zoneID.zoneName)'")
        }
        try await mirror.purge(zoneID)
        return zoneID
    }

    /// Deletes a zone with all its records and objects, and calls a block with the result.
    public func purgeObjectsAndRecordsInZone(
        with zoneID: CKRecordZone.ID, in persistentStore: NSPersistentStore?,
        completion: (@Sendable (CKRecordZone.ID?, (any Error)?) -> Void)? = nil
    ) {
        Task.detached {
            do {
                completion?(try await self.purgeObjectsAndRecordsInZone(with: zoneID, in: persistentStore), nil)
            } catch {
                completion?(nil, error)
            }
        }
    }

    /// Returns the mirror of a store.
    /// - Throws: An error if this container does not mirror the store.
    private func mirror(of store: NSPersistentStore) throws -> StoreMirror {
        guard let mirror = openMirrors.first(where: { $0.store === store }) else {
            throw MirroringError.sharing("the store is not mirrored by this container")
        }
        return mirror
    }
}
