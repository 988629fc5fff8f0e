import Foundation
import StratusCloudKit

extension LocalCloud {
    /// A device of a person: what an app runs on.
    public struct Device: Sendable {
        let cloud: LocalCloud
        let room: DeviceRoom

        /// What the test calls it.
        public var name: String { room.device.name }

        /// The default container, as this device sees it; the same object each time.
        public var container: CKContainer { room.container(nil) }

        /// A container by name; the same object for the same name.
        public func container(_ identifier: String) -> CKContainer { room.container(identifier) }

        /// What the app is told by push of the default container: from the moment on that the device was made, in order.
        /// What one iterator takes no other one gets.
        public var notifications: DeviceNotifications { notifications(container: nil) }

        /// What the app is told by push of a container.
        /// - Parameter container: nil for the default one.
        public func notifications(container: String?) -> DeviceNotifications {
            DeviceNotifications(cloud: cloud, inbox: room.inbox(of: container))
        }

        /// Takes what the app was told since the last time. A save that has returned has told everybody, so that nothing
        /// here means that nothing was sent.
        /// - Parameter container: nil for the default one.
        public func takeNotifications(container: String? = nil) async throws -> [CKNotification] {
            try await room.inbox(of: container).takeAll()
        }

        // MARK: The account

        /// Signs whoever it is out, and posts `CKAccountChanged`.
        public func signOut() { change { $0.account = nil } }

        /// Signs somebody in, instead of who was, and posts `CKAccountChanged`.
        public func signIn(as account: Account) {
            let name = account.name
            change { state in
                state.account = name
                state.status = nil
            }
        }

        /// Makes the device say something else of its account than whether there is one: private calls then fail with
        /// `CKError.accountTemporarilyUnavailable` or `CKError.notAuthenticated`. Nil goes back to normal. Posts
        /// `CKAccountChanged`.
        public func setAccountStatus(_ status: CKAccountStatus?) { change { $0.status = status } }

        private func change(_ body: @Sendable (inout People.DeviceState) -> Void) {
            guard cloud.core.people.change(room.device, body) else { return }
            room.accountChanged()
            NotificationCenter.default.post(name: .CKAccountChanged, object: nil)
        }

        // MARK: Code that makes its own containers

        /// Runs a test's code so that `CKContainer.default()` and `CKContainer(identifier:)` are this device's. What has no
        /// task, such as a block on a queue, does not know of it; a container that was made before it got there does.
        public func use<Value>(_ body: () throws -> Value) rethrows -> Value {
            try ContainerProvider.$current.withValue(provider, operation: body)
        }

        /// Runs a test's code so that `CKContainer.default()` and `CKContainer(identifier:)` are this device's, in the task
        /// and all tasks that it starts; other tests do not meet it.
        public func use<Value>(
            isolation: isolated (any Actor)? = #isolation, _ body: () async throws -> Value
        ) async rethrows -> Value {
            try await ContainerProvider.$current.withValue(provider, operation: body, isolation: isolation)
        }

        /// Makes `CKContainer.default()` and `CKContainer(identifier:)` this device's in the whole process, until
        /// ``LocalCloud/uninstall()``: for tests that run one after another, and for code that leaves its task.
        public func install() { ContainerProvider.installed = provider }

        private var provider: ContainerProvider {
            let room = room
            return ContainerProvider { room.container($0) }
        }
    }

    /// Ends what ``Device/install()`` began.
    public static func uninstall() { ContainerProvider.installed = nil }
}
