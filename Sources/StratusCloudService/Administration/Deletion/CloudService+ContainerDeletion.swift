import StratusCloudModel
import StratusCloudStore

extension CloudService {
    /// Deletes a container with all data of both environments: records, assets, zones, shares, subscriptions, schemas,
    /// statistics, tokens, keys, sessions, test accounts and the team. The accounts of people stay.
    ///
    /// From the moment it is noted no request reaches the container; a server that stops meanwhile continues at its
    /// next start. A container of the same name can be created afterwards. It has nothing of this one, and no sync
    /// token and change tag of this one fits it.
    /// - Throws: `notFound` if there is no such container, `tryAgainLater` while it is being reset or deleted already.
    public func deleteContainer(_ identifier: ContainerIdentifier) async throws(CloudError) {
        guard beginWork(on: identifier) else {
            throw CloudError(.tryAgainLater, "the container is already being reset or deleted", retryAfter: 5)
        }
        defer { endWork(on: identifier) }
        let isNoted: Bool
        do {
            isNoted = try await directory.change { try Self.beginDeletion(of: identifier, in: $0) }
        } catch {
            throw cloudError(from: error)
        }
        guard isNoted else { throw CloudError(.notFound, "container '\(identifier)' does not exist") }
        try await finishDeletion(of: identifier)
    }

    /// Continues deletions that an earlier run of the server began.
    func resumeContainerDeletions() async throws(CloudError) {
        let deletions = try await reading(.directory) {
            try $0.allValues(ContainerDeletion.self, in: DirectoryKey.containerDeletions)
        }
        for deletion in deletions {
            guard beginWork(on: deletion.identifier) else { continue }
            defer { endWork(on: deletion.identifier) }
            try await finishDeletion(of: deletion.identifier)
        }
    }

    /// Lets a new container of this name be written to: a deleted one of the same name left its contexts closed, so
    /// that requests that were under way then wrote nothing.
    func reopenContexts(of identifier: ContainerIdentifier) async throws(CloudError) {
        let isFree = try await reading(.directory) { transaction in
            try transaction.get(DirectoryKey.container(identifier)) == nil
                && transaction.get(DirectoryKey.containerDeletion(identifier)) == nil
        }
        guard isFree else { return }
        for context in Self.contexts(of: identifier) {
            guard try await schema(of: context).isBeingReset else { continue }
            do {
                _ = try await schemas.change(context) { schema, _ in schema.isBeingReset = false }
            } catch {
                throw cloudError(from: error)
            }
        }
    }

    private static func contexts(of identifier: ContainerIdentifier) -> [CloudContext] {
        CloudEnvironment.allCases.map { CloudContext(container: identifier, environment: $0) }
    }

    /// - Returns: whether nobody else resets or deletes the container; the caller ends the work then.
    private func beginWork(on identifier: ContainerIdentifier) -> Bool {
        let begun = Self.contexts(of: identifier).map { ($0, indexWork.beginReset(of: $0)) }
        if begun.allSatisfy({ $0.1 }) { return true }
        for (context, isBegun) in begun where isBegun { indexWork.endReset(of: context) }
        return false
    }

    private func endWork(on identifier: ContainerIdentifier) {
        for context in Self.contexts(of: identifier) { indexWork.endReset(of: context) }
    }

    /// - Returns: whether there is something to delete.
    private static func beginDeletion(
        of identifier: ContainerIdentifier, in transaction: any WriteTransaction
    ) throws -> Bool {
        let (entry, note) = (DirectoryKey.container(identifier), DirectoryKey.containerDeletion(identifier))
        guard try transaction.get(entry) != nil else { return try transaction.get(note) != nil }
        transaction.clear(entry)
        transaction.set(note, ContainerDeletion(identifier))
        // Without them nobody is authenticated any more.
        for entry in try transaction.entries(in: DirectoryKey.tokens, limit: .max)
        where try APIToken(stored: entry.value).context.container == identifier {
            transaction.clear(entry.key)
        }
        for entry in try transaction.entries(in: DirectoryKey.serverKeys, limit: .max)
        where try ServerKey(stored: entry.value).context.container == identifier {
            transaction.clear(entry.key)
        }
        return true
    }

    /// Each step may be done again after a crash; the names that lead to the data go after the data.
    private func finishDeletion(of identifier: ContainerIdentifier) async throws(CloudError) {
        for context in Self.contexts(of: identifier) {
            try await close(context)
            try await deleteData(of: context)
            try await clear(SchemaCatalog.besideSchema, of: .context(context))
            try await forgetPeople(of: context)
        }
        try await forgetTraces(of: identifier)
        do {
            try await directory.change { $0.clear(DirectoryKey.containerDeletion(identifier)) }
        } catch {
            throw cloudError(from: error)
        }
        developerChanges.add(1, ordering: .releasing)
    }

    /// Empties the schema of a context and keeps everything from being saved there. The number of the schema and those
    /// of indexes continue, so that nothing that was remembered of before fits what comes after.
    private func close(_ context: CloudContext) async throws(CloudError) {
        do {
            _ = try await schemas.change(context) { schema, _ in
                var closed = Schema()
                closed.nextIndexNumber = schema.nextIndexNumber
                closed.recordTypes[SystemRecordType.users] = .users
                closed.isBeingReset = true
                schema = closed
            }
        } catch {
            throw cloudError(from: error)
        }
    }

    private func deleteData(of context: CloudContext) async throws(CloudError) {
        let publicDatabase = Partition.publicDatabase(of: context)
        for database in try await databases(of: context) {
            try await wipe(database)
            _ = try await collect(in: database, isFinal: true)
            guard let owner = database.privateOwner(in: context) else { continue }
            push.hub.dismissAll(of: PushOwner(context: context, userRecordName: owner))
            try await writing(.assetDatabases) { $0.clear(Key(Array(database.name.utf8))) }
        }
        // The public database keeps its counters, for tokens of before must not fit what comes after. Names of private
        // databases never come back.
        for partition in try await partitions(below: context) where partition != publicDatabase {
            try await clearAll(of: partition)
        }
        let tags: [Keyspace.Tag] = [.webhookQueue, .webhookDelivery, .webhookCount]
        for tag in tags { try await clear(KeyRange(prefix: Key([tag.rawValue])), of: publicDatabase) }
        try await changingWebhooks(of: context) { $0.clear(WebhookKey.webhooks) }
    }

    /// Returns the partitions of a context but for its own.
    private func partitions(below context: CloudContext) async throws(CloudError) -> [Partition] {
        let prefix = Partition.context(context).name + "/"
        do {
            return try await store.partitions().filter { $0.name.hasPrefix(prefix) }
        } catch {
            throw cloudError(from: error)
        }
    }

    /// Clears a range in transactions of bounded size.
    func clear(_ range: KeyRange, of partition: Partition) async throws(CloudError) {
        while try await writing(partition, { try Self.clearStep(range, in: $0) }) {}
    }
}
