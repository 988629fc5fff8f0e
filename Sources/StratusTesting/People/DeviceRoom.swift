import StratusCloudKit
import StratusCloudModel
import StratusWorkers

/// Names a device of a cloud.
struct DeviceName: Hashable, Sendable {
    /// Whose it is, whoever may be signed in.
    let owner: String
    let name: String
}

/// What a device has: its containers and what it was told. Held by the cloud; its containers hold no more than the core and
/// the inbox.
final class DeviceRoom: Sendable {
    let device: DeviceName
    private let core: CloudCore
    private let inboxes = Lock((ofContainer: [String: Inbox](), push: LocalCloud.Device.Push.delivered))
    private let containers = Lock<[String: CKContainer]>([:])

    init(core: CloudCore, device: DeviceName) {
        self.core = core
        self.device = device
    }

    /// What the device was told of a container; nil for the default one.
    func inbox(of identifier: String?) -> Inbox {
        let identifier = identifier ?? core.options.container.rawValue
        return inboxes.withLock { inboxes in
            if let inbox = inboxes.ofContainer[identifier] { return inbox }
            let inbox = Inbox(core: core, device: device, containerIdentifier: identifier, push: inboxes.push)
            inboxes.ofContainer[identifier] = inbox
            return inbox
        }
    }

    func container(_ identifier: String?) -> CKContainer {
        let identifier = identifier ?? core.options.container.rawValue
        return containers.withLock { containers in
            if let container = containers[identifier] { return container }
            let seat = ConnectionSeat(core: core, device: device, identifier: identifier, inbox: inbox(of: identifier))
            let container = CKContainer(connection: { seat.connection })
            containers[identifier] = container
            return container
        }
    }

    /// Says what becomes of notifications of any container from now on.
    func setPush(_ push: LocalCloud.Device.Push) {
        let inboxes = inboxes.withLock { inboxes in
            inboxes.push = push
            return Array(inboxes.ofContainer.values)
        }
        for inbox in inboxes { inbox.setPush(push) }
    }

    /// Somebody else is signed in.
    func accountChanged() { for inbox in allInboxes { inbox.accountChanged() } }

    func close() { for inbox in allInboxes { inbox.close() } }

    private var allInboxes: [Inbox] { inboxes.withLock { Array($0.ofContainer.values) } }
}

/// The connection of a device to a container: another one for each person who signs in.
private final class ConnectionSeat: Sendable {
    private let core: CloudCore
    private let device: DeviceName
    private let identifier: String
    private let inbox: Inbox
    /// Stays when another person signs in, as it does on a device.
    private let operations = OperationStore.temporary()
    private let current = Lock<(account: String?, connection: CloudConnection)?>(nil)

    init(core: CloudCore, device: DeviceName, identifier: String, inbox: Inbox) {
        self.core = core
        self.device = device
        self.identifier = identifier
        self.inbox = inbox
    }

    var connection: CloudConnection {
        let account = core.people.state(of: device).account
        return current.withLock { current in
            if let current, current.account == account { return current.connection }
            let transport = LocalTransport(
                core: core, device: device, account: account, containerIdentifier: identifier, inbox: inbox)
            let connection = CloudConnection(
                containerIdentifier: identifier, transport: transport, keyStore: core.keyStore(of: account),
                operations: operations)
            current = (account, connection)
            return connection
        }
    }
}
