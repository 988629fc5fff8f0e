import StratusCloudModel
import StratusCloudStore

/// Whose files the page of files shows.
extension CloudService {
    /// Returns the containers and environments in which a person has files to look at, production before development:
    /// those of the apps that they use. Who uses none yet gets the production environment of the server's only container.
    public func fileContexts(of holder: AccountHolder) async throws(CloudError) -> [CloudContext] {
        let containers = try await listContainers()
        let contexts = containers.flatMap { container in
            [CloudEnvironment.production, .development].map { CloudContext(container: container, environment: $0) }
        }
        let id = holder.account.id
        let names = try await reading(.directory) { transaction in
            try transaction.get(contexts.map { DirectoryKey.user(of: id, in: $0) })
        }
        let used = zip(contexts, names).filter { $0.1 != nil }.map(\.0)
        guard used.isEmpty, containers.count == 1, let only = containers.first else { return used }
        return [CloudContext(container: only, environment: .production)]
    }

    /// Returns a person as a user of an existing container, which they become by this, and counts their request.
    /// - Throws: `notFound` for an unknown container; `throttled`.
    public func fileCaller(
        for holder: AccountHolder, in context: CloudContext
    ) async throws(CloudError) -> Caller {
        try await caller(holder.account, in: context, payers: [])
    }
}
