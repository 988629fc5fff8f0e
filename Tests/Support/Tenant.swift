import StratusWorkers

/// A container with two people and a key in it, for one suite's tests.
public struct Tenant: Sendable {
    /// The cloud it lives in.
    public let cloud: Cloud
    /// The container.
    public let container: String
    /// An API token of the development environment.
    public let apiToken: String
    /// An API token of the production environment.
    public let productionToken: String
    /// A server-to-server key of the development environment.
    public let key: Credential
    /// Two people.
    public let alice: Person
    /// Two people.
    public let bob: Person

    /// Somebody with an account who is signed in.
    public struct Person: Sendable {
        /// Names the account.
        public let email: String
        /// Opens the account.
        public let password: String
        /// The session in the development environment.
        public let webAuthToken: String
        /// The name in this container's development environment.
        public let userRecordName: String
    }

    /// Makes a new tenant.
    public init(in cloud: Cloud) async throws {
        self.cloud = cloud
        let container = Unique.name("iCloud.org.example.")
        self.container = container
        try await cloud.makeContainer(container)
        apiToken = try await cloud.makeToken(container)
        productionToken = try await cloud.makeToken(container, "production")
        key = try await cloud.makeKey(container)
        alice = try await Self.person("alice", in: cloud, container)
        bob = try await Self.person("bob", in: cloud, container)
    }

    /// The tenant that all tests of one suite share, in the shared cloud.
    public static func shared(_ suite: String) async throws -> Tenant {
        let task = tenants.withLock { tenants in
            if let task = tenants[suite] { return task }
            let task = Task { try await Tenant(in: try await Cloud.shared()) }
            tenants[suite] = task
            return task
        }
        return try await task.value
    }

    private static let tenants = Lock<[String: Task<Tenant, any Error>]>([:])

    /// Somebody new, signed in.
    public static func person(_ name: String, in cloud: Cloud, _ container: String) async throws -> Person {
        let email = Unique.name(name) + "@example.org"
        let password = Unique.name("password")
        try await cloud.makeAccount(email, password: password)
        let session = try await cloud.makeSession(email, container)
        return Person(
            email: email, password: password, webAuthToken: session.webAuthToken,
            userRecordName: session.userRecordName)
    }

    /// A client with any credential.
    public func database(_ scope: String, _ credential: Credential) -> Database {
        Database(server: cloud.server.url, container: container, scope: scope, credential: credential)
    }

    /// The credential of a signed-in person.
    public func credential(of person: Person) -> Credential {
        .user(apiToken: apiToken, webAuthToken: person.webAuthToken)
    }

    /// The public database as Alice uses it.
    public var publicDatabase: Database { database("public", credential(of: alice)) }
    /// Alice's private database.
    public var privateDatabase: Database { database("private", credential(of: alice)) }
    /// The public database as Bob uses it.
    public var bobsPublicDatabase: Database { database("public", credential(of: bob)) }
    /// Bob's private database.
    public var bobsPrivateDatabase: Database { database("private", credential(of: bob)) }
    /// The public database with nobody signed in.
    public var anonymousDatabase: Database { database("public", .apiToken(apiToken)) }
}
