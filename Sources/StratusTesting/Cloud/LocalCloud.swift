import StratusCloudKit
import StratusCloudModel
import StratusWorkers

/// A whole cloud in the test's own process: no port, no files, nothing that another test could meet.
///
/// ```swift
/// let cloud = try await LocalCloud()
/// let phone = cloud.account("ada").device("phone"), laptop = cloud.account("ada").device("laptop")
/// try await phone.container.privateCloudDatabase.save(note)
/// #expect(try await cloud.records(in: .default, of: cloud.account("ada")).count == 1)
/// ```
///
/// It is the server's own service over its engine in memory, so it has all its rules: change tags, atomic zones,
/// references, indexes, feeds, quotas, subscriptions. It goes when nobody holds it, its devices or their containers.
public final class LocalCloud: Sendable {
    /// The container that is asked for without a name.
    public static let defaultContainer = "iCloud.org.example.test"

    let core: CloudCore
    private let rooms = Lock<[DeviceName: DeviceRoom]>([:])

    /// The name of the container that `CKContainer.default()` stands for.
    public var containerIdentifier: String { core.options.container.rawValue }

    /// Makes an empty cloud.
    /// - Parameters:
    ///   - container: the default container; further ones are made when they are asked for by name.
    ///   - options: environment, schema and quotas; by default a development environment without limits.
    /// - Throws: `CKError.badContainer` for a name that is none; `CKError.invalidArguments` for a schema that is none.
    public init(container: String = LocalCloud.defaultContainer, _ options: Options = Options()) async throws {
        core = try CloudCore(container, options)
        try await core.start(options.schema)
    }

    deinit { for room in rooms.withLock({ Array($0.values) }) { room.close() } }

    /// Time as the cloud and the library see it.
    public var clock: TestClock { core.clock }

    /// What goes wrong.
    public var faults: Faults { core.faults }

    /// A person, by whatever name the test has for them; the same person for the same name.
    public func account(_ name: String) -> Account {
        core.people.add(name)
        return Account(cloud: self, name: name)
    }

    /// A person who says something of themselves, and may be found by it.
    public func account(_ name: String, _ profile: Profile) -> Account {
        core.people.describe(name, profile)
        return account(name)
    }

    func room(of device: DeviceName) -> DeviceRoom {
        rooms.withLock { rooms in
            if let room = rooms[device] { return room }
            core.people.add(device)
            let room = DeviceRoom(core: core, device: device)
            rooms[device] = room
            return room
        }
    }

    /// The rooms of devices that there are.
    var allRooms: [DeviceRoom] { rooms.withLock { Array($0.values) } }
}

extension LocalCloud {
    /// What kind of cloud it is.
    public struct Options: Sendable {
        /// Which copy of the container: one that learns record types and fields from what is saved, or one that knows its
        /// schema and nothing else.
        public enum Environment: Sendable { case development, production }

        /// Which copy of the container it is.
        public var environment: Environment
        /// The schema of the default container, in CloudKit's schema language; nil for an empty one.
        public var schema: String?
        /// Bytes of records that each person's private database may hold; nil is without limit.
        public var privateQuota: Int64?
        /// Bytes of records that a public database may hold; nil is without limit.
        public var publicQuota: Int64?
        /// Changes that a page of a change feed holds at most, so that a few make several pages; nil leaves it to the service.
        public var changesPerPage: Int?

        /// Makes the chance with which the library spreads its waits the same in each run; nil leaves it to the system.
        public var seed: UInt64?

        /// A development environment without limits, unless told otherwise.
        public init(
            environment: Environment = .development, schema: String? = nil, privateQuota: Int64? = nil,
            publicQuota: Int64? = nil, seed: UInt64? = nil, changesPerPage: Int? = nil
        ) {
            self.environment = environment
            self.schema = schema
            self.privateQuota = privateQuota
            self.publicQuota = publicQuota
            self.seed = seed
            self.changesPerPage = changesPerPage
        }
    }
}
