import StratusCloudKit

extension LocalCloud {
    /// What a person says of themselves.
    public struct Profile: Hashable, Sendable {
        /// nil makes one up.
        public var emailAddress: String?
        /// The first name.
        public var givenName: String?
        /// The last name.
        public var familyName: String?
        /// International, such as `+44 20 7946 0000`.
        public var phoneNumber: String?
        /// Whether others find the person by address and number.
        public var isDiscoverable: Bool

        /// Makes a profile.
        public init(
            emailAddress: String? = nil, givenName: String? = nil, familyName: String? = nil,
            phoneNumber: String? = nil, isDiscoverable: Bool = false
        ) {
            self.emailAddress = emailAddress
            self.givenName = givenName
            self.familyName = familyName
            self.phoneNumber = phoneNumber
            self.isDiscoverable = isDiscoverable
        }
    }

    /// A person with an account at the cloud, and as many devices as a test wants.
    public struct Account: Sendable {
        /// The name that device has which is used where none is named.
        public static let defaultDevice = "device"

        let cloud: LocalCloud
        /// What the test calls the person.
        public let name: String

        /// A device of the person, signed in; the same device for the same name. Each is told of what the others do.
        public func device(_ name: String = Account.defaultDevice) -> Device {
            let device = DeviceName(owner: self.name, name: name)
            return Device(cloud: cloud, room: cloud.room(of: device))
        }

        /// The default container on the person's default device.
        public var container: CKContainer { device().container }

        /// A container by name on the person's default device.
        public func container(_ identifier: String) -> CKContainer { device().container(identifier) }

        /// Signs the person out of all devices.
        public func signOut() { for device in devices { device.signOut() } }

        /// Signs the person in again on all devices that are theirs.
        public func signIn() { for device in devices { device.signIn(as: self) } }

        /// Runs a test's code so that `CKContainer.default()` and `CKContainer(identifier:)` are those of the person's
        /// default device; see ``Device/use(_:)-(()->Value)``.
        public func use<Value>(_ body: () throws -> Value) rethrows -> Value { try device().use(body) }

        /// Runs a test's code so that `CKContainer.default()` and `CKContainer(identifier:)` are those of the person's
        /// default device, in the task and all tasks that it starts.
        public func use<Value>(
            isolation: isolated (any Actor)? = #isolation, _ body: () async throws -> Value
        ) async rethrows -> Value { try await device().use(body) }

        private var devices: [Device] {
            cloud.allRooms.filter { $0.device.owner == name }.map { Device(cloud: cloud, room: $0) }
        }
    }
}
