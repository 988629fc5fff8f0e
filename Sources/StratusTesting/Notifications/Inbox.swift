import Foundation
import StratusCloudKit
import StratusCloudModel
import StratusCloudService
import StratusCloudWire
import StratusWorkers

/// What a device was told of a container: read from the service's own queue, payload and all.
final class Inbox: Sendable {
    private struct State {
        var listener: (registration: People.Registration, listener: PushListener)?
        var waiters: [(number: Int, wake: CheckedContinuation<Void, Never>)] = []
        var number = 0
        var isClosed = false
        /// What engines of the device took note of, and the app has not taken.
        var heard: [CKNotification] = []
        var observers: [Int: @Sendable (CKNotification) -> Void] = [:]
        var push: LocalCloud.Device.Push
        /// What is held back.
        var held: [CKNotification] = []
    }

    private let core: CloudCore
    private let device: DeviceName
    private let containerIdentifier: String
    private let state: Lock<State>
    /// Takes turns: a device has one listener, and who takes from it takes all of a step.
    private let turn = Turn()

    init(core: CloudCore, device: DeviceName, containerIdentifier: String, push: LocalCloud.Device.Push) {
        self.core = core
        self.device = device
        self.containerIdentifier = containerIdentifier
        state = Lock(State(push: push))
    }

    /// All that came and was not taken.
    func takeAll() async throws -> [CKNotification] {
        var all: [CKNotification] = []
        while let notification = try await take() { all.append(notification) }
        return all
    }

    /// Waits for one.
    func next() async throws -> CKNotification? {
        while !Task.isCancelled {
            // First, so that nothing comes unnoticed between the look and the wait.
            let bell = try await turn.run { [self] in try await listener() }
            if let notification = try await take() { return notification }
            guard !state.withLock({ $0.isClosed }) else { return nil }
            await ring(bell)
        }
        return nil
    }

    /// Somebody else is signed in: another queue counts.
    func accountChanged() {
        let former = state.withLock { state in
            defer { state.listener = nil }
            return state.listener?.listener
        }
        former?.stopWaiting()
        former?.close()
        wakeAll()
    }

    /// Nobody is told any more.
    func close() {
        let former = state.withLock { state in
            state.isClosed = true
            defer { state.listener = nil }
            return state.listener?.listener
        }
        former?.stopWaiting()
        former?.close()
        wakeAll()
    }

    private func take() async throws -> CKNotification? {
        try await turn.run { [self] in
            let heard = state.withLock { $0.heard.isEmpty ? nil : $0.heard.removeFirst() }
            if let heard { return heard }
            return try await receive()
        }
    }

    /// The next of the service's queue, of which all observers are told. Only for who has the turn.
    private func receive() async throws -> CKNotification? {
        guard let listener = try await listener() else { return nil }
        do throws(CloudError) {
            while case .delivery(let delivery) = try await listener.next(patience: 0) {
                listener.confirm()
                let notification = try Self.notification(delivery.notification)
                switch state.withLock({ $0.push }) {
                case .delivered:
                    tell(notification)
                    return notification
                case .held: state.withLock { $0.held.append(notification) }
                case .lost: break
                }
            }
            return nil
        } catch {
            throw core.cloudKitError(.refused(error, requestUUID: nil), isMutating: false)
        }
    }

    private func tell(_ notification: CKNotification) {
        let observers = state.withLock { $0.observers.sorted { $0.key < $1.key }.map(\.value) }
        for observer in observers { observer(notification) }
    }

    /// Says what becomes of notifications from now on; those that were held come when they are delivered again.
    func setPush(_ push: LocalCloud.Device.Push) {
        let released = state.withLock { state in
            state.push = push
            guard push == .delivered else { return [CKNotification]() }
            defer { state.held = [] }
            state.heard += state.held
            return state.held
        }
        for notification in released { tell(notification) }
        wakeAll()
    }

    // MARK: For the library

    /// Tells of each notification that comes, which the app gets as well, until the task is cancelled or somebody else is signed in.
    func listen(
        as account: String, _ receive: @escaping @Sendable (PushReport) -> Void
    ) async throws(CloudTransportError) {
        do {
            _ = try await turn.run { [self] in try await listener() }
            let number = state.withLock { state in
                state.number += 1
                state.observers[state.number] = { receive(.notification($0)) }
                return state.number
            }
            defer { state.withLock { $0.observers[number] = nil } }
            receive(.listening)
            while !Task.isCancelled, !state.withLock({ $0.isClosed }) {
                guard core.people.state(of: device).account == account else { return }
                let bell = try await turn.run { [self] in
                    let bell = try await listener()
                    while let notification = try await self.receive() {
                        state.withLock { $0.heard.append(notification) }
                    }
                    return bell
                }
                await ring(bell)
            }
        } catch {
            throw .failed("notifications cannot be read")
        }
    }

    /// The listener of who is signed in; nil while nobody is. Only for who has the turn.
    private func listener() async throws -> PushListener? {
        let container = try CloudCore.container(containerIdentifier)
        do throws(CloudError) {
            try await core.prepare(container)
            guard let registration = core.people.registration(of: device, in: container) else { return nil }
            let known = state.withLock { state in
                state.listener.flatMap { $0.registration == registration ? $0.listener : nil }
            }
            if let known { return known }
            let listener = try await core.service.listen(
                courierSecret: registration.courierSecret, isStream: true)
            let isKept = state.withLock { state -> Bool in
                if !state.isClosed { state.listener = (registration, listener) }
                return !state.isClosed
            }
            if !isKept { listener.close() }
            return isKept ? listener : nil
        } catch {
            throw core.cloudKitError(.refused(error, requestUUID: nil), isMutating: false)
        }
    }

    /// Waits until something may have come, somebody else is signed in, or the task is cancelled.
    private func ring(_ listener: PushListener?) async {
        let number = state.withLock { state in
            state.number += 1
            return state.number
        }
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let waits = state.withLock { state -> Bool in
                    guard !state.isClosed, !Task.isCancelled else { return false }
                    state.waiters.append((number, continuation))
                    return true
                }
                guard waits else { return continuation.resume() }
                listener?.whenReady(patience: PushLimits.pollTime) { [weak self] in self?.wakeAll() }
            }
        } onCancel: {
            let waiter = state.withLock { state in
                let index = state.waiters.firstIndex { $0.number == number }
                return index.map { state.waiters.remove(at: $0) }
            }
            waiter?.wake.resume()
        }
    }

    private func wakeAll() {
        let waiters = state.withLock { state in
            defer { state.waiters = [] }
            return state.waiters
        }
        for waiter in waiters { waiter.wake.resume() }
    }

    private static func notification(_ notification: CloudNotification) throws(CloudError) -> CKNotification {
        let payload = NotificationEncoder().payload(notification)
        guard let values = try? JSONSerialization.jsonObject(with: Data(payload)) as? [AnyHashable: Any],
            let notification = CKNotification(fromRemoteNotificationDictionary: values)
        else { throw CloudError(.internalError, "a notification cannot be read") }
        return notification
    }
}

/// Lets one after another do something that waits.
private actor Turn {
    private var last: Task<Void, Never>?

    func run<Value: Sendable>(_ body: @escaping @Sendable () async throws -> Value) async throws -> Value {
        let before = last
        let task = Task {
            await before?.value
            return try await body()
        }
        last = Task { _ = try? await task.value }
        return try await task.value
    }
}
