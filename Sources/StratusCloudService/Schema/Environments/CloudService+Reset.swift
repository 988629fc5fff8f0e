import StratusCloudModel
import StratusCloudStore

extension CloudService {
    /// Deletes all data of a container's development environment and gives it production's schema.
    ///
    /// Nothing is saved there meanwhile; a server that ends in between goes on at its next start. People stay signed in
    /// and their devices registered; roles have no members afterwards.
    /// - Throws: `notFound` if there is no such container, `tryAgainLater` while another reset is under way.
    public func resetDevelopment(
        of container: ContainerIdentifier, by operatorName: String = ""
    ) async throws(CloudError) {
        let context = CloudContext(container: container, environment: .development)
        try await checkContainer(context)
        guard indexWork.beginReset(of: context) else {
            throw CloudError(.tryAgainLater, "the environment is already being reset", retryAfter: 5)
        }
        defer { indexWork.endReset(of: context) }
        let change = SchemaChange(kind: .reset, name: "", by: operatorName, time: environment.now())
        _ = try await change.carryOut(on: schemas, context, self) { (schema) throws(CloudError) in
            schema.isBeingReset = true
        }
        try await finishReset(of: context)
    }

    /// Goes on with a reset that an earlier run of the server began.
    func resumeReset(of context: CloudContext) async throws(CloudError) {
        guard indexWork.beginReset(of: context) else { return }
        defer { indexWork.endReset(of: context) }
        if try await schema(of: context).isBeingReset { try await finishReset(of: context) }
    }

    private func finishReset(of context: CloudContext) async throws(CloudError) {
        for database in try await databases(of: context) { try await wipe(database) }
        let origin = changeOrigin
        try await writing(.publicDatabase(of: context)) { try PublicFeed.endTokens(by: origin, in: $0) }
        // They belong to the container's developers, not to its data.
        try await changingWebhooks(of: context) { _ in }
        let document = SchemaDocument(try await schema(of: context.production))
        do {
            for name in try await userRecordNames(in: context) { try await makeUserRecords(name, in: context) }
            _ = try await schemas.change(context) { schema, _ in
                guard schema.isBeingReset else { return }
                var fresh = Schema()
                fresh.nextIndexNumber = schema.nextIndexNumber
                fresh.recordTypes[SystemRecordType.users] = .users
                _ = try fresh.replace(with: document)
                schema = fresh
            }
        } catch {
            throw cloudError(from: error)
        }
        // A build that was under way gave up.
        indexWork.wake()
    }

    /// Deletes everything that a database holds. Its counters go on, so that no token and no change tag of before fits
    /// what comes after.
    func wipe(_ database: Partition) async throws(CloudError) {
        let origin = changeOrigin
        let names = try await reading(database) { try Self.allZones(in: $0).map(\.name) }
        for name in names where name != ZoneID.defaultZoneName {
            _ = try await writing(database) { try Self.deleteZone(named: name, .deleted, by: origin, in: $0) }
        }
        try await writing(database) { $0.set(Keyspace.deletedZone(.default), []) }
        try await clearDeletedZones(in: database)
        let tags: [Keyspace.Tag] = [
            .subscription, .subscriptionSummary, .subscriptionIndex, .subscriptionContent, .pushQueue, .receipt,
        ]
        for tag in tags {
            let range = KeyRange(prefix: Keyspace.prefix(tag).key)
            while try await writing(database, { try Self.clearStep(range, in: $0) }) {}
        }
    }

    /// - Returns: whether there was anything.
    static func clearStep(_ range: KeyRange, in transaction: any WriteTransaction) throws -> Bool {
        let entries = try transaction.entries(in: range, limit: ServiceLimits.clearedIndexEntriesPerStep)
        guard let last = entries.last else { return false }
        transaction.clear(KeyRange(lower: range.lower, upper: last.key.next))
        return true
    }
}
