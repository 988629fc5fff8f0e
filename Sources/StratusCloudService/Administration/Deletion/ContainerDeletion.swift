import StratusCloudModel
import StratusCloudStore

/// A container that is being deleted. It is noted in the transaction that removes the container, and removed after
/// everything else of it, so that a server that starts again continues.
struct ContainerDeletion: StoredValue, Hashable {
    static let format: UInt8 = 1

    var identifier: ContainerIdentifier

    init(_ identifier: ContainerIdentifier) { self.identifier = identifier }

    init(from reader: inout ByteReader) throws {
        guard let identifier = ContainerIdentifier(try reader.string()) else { throw ByteReader.Malformed() }
        self.identifier = identifier
    }

    func write(to writer: inout ByteWriter) { writer.write(identifier.rawValue) }

    /// - Throws: `tryAgainLater` while a container of that name is being deleted.
    static func check(_ identifier: ContainerIdentifier, in transaction: any ReadTransaction) throws {
        guard try transaction.get(DirectoryKey.containerDeletion(identifier)) == nil else {
            throw CloudError(
                .tryAgainLater, "container '\(identifier)' is still being deleted; try again later", retryAfter: 5)
        }
    }
}

extension DirectoryKey {
    static func containerDeletion(_ identifier: ContainerIdentifier) -> Key {
        key(.containerDeletion, identifier.rawValue)
    }

    static var containerDeletions: KeyRange { KeyRange(prefix: Key([Tag.containerDeletion.rawValue])) }

    /// Everything of a container under a tag whose keys begin with the container.
    static func all(_ tag: Tag, of container: ContainerIdentifier) -> KeyRange {
        KeyRange(prefix: key(tag, container.rawValue))
    }

    /// The account at the end of a key of ``users(in:)``.
    static func accountID(ofUser user: Key) -> String? {
        var decoder = TupleDecoder(user, skipping: 1)
        guard decoder.string() != nil, decoder.string() != nil else { return nil }
        return decoder.string()
    }
}

/// What a container holds, and a deletion would delete.
public struct ContainerContents: Hashable, Sendable {
    /// What one environment holds.
    public struct Environment: Hashable, Sendable {
        /// Which one.
        public var environment: CloudEnvironment
        /// People who signed in.
        public var users: Int
        /// What all databases hold together.
        public var usage: Usage
        /// API tokens and server-to-server keys.
        public var credentials: Int
    }

    /// Development and production.
    public var environments: [Environment]
    /// Developers in the team, without the owners of the server.
    public var teamMembers: Int
}

extension CloudService {
    /// Returns what a container holds.
    /// - Throws: `notFound` if there is no such container.
    public func contents(of container: ContainerIdentifier) async throws(CloudError) -> ContainerContents {
        var environments: [ContainerContents.Environment] = []
        for environment in CloudEnvironment.allCases {
            let context = CloudContext(container: container, environment: environment)
            let credentials = try await listAPITokens(of: context).count + listServerKeys(of: context).count
            var usage = Usage()
            for database in try await databases(of: context) {
                usage += try await reading(database) { try UsageLedger.usage(in: $0) }
            }
            environments.append(
                ContainerContents.Environment(
                    environment: environment, users: try await userRecordNames(in: context).count, usage: usage,
                    credentials: credentials))
        }
        let members = try await reading(.directory) {
            try $0.entries(in: DirectoryKey.team(of: container), limit: .max).count
        }
        return ContainerContents(environments: environments, teamMembers: members)
    }
}
