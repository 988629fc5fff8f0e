import StratusCloudModel
import StratusCloudStore
import StratusWorkers

/// Takes notifications to push channels: for each device of theirs that has something to be told, one task that gives
/// the channel message after message.
final class PushDispatch: Sendable {
    private struct State {
        var channels: [PushAddress.Kind: any PushChannel] = [:]
        weak var service: CloudService?
        /// Devices of the channels, by their owner.
        var devices: [PushOwner: Set<DeviceID>] = [:]
        /// Devices that a task works for, and whether something came since it last looked.
        var running: [DeviceID: Bool] = [:]
        var tasks: [DeviceID: Task<Void, Never>] = [:]
        var isClosed = false
    }

    private let state = Lock(State())

    func start(_ channels: [any PushChannel], for service: CloudService) {
        state.withLock { state in
            state.service = service
            for channel in channels { state.channels[channel.kind] = channel }
        }
    }

    func channel(for kind: PushAddress.Kind) -> (any PushChannel)? { state.withLock { $0.channels[kind] } }

    /// Takes note of a device, whether or not there is a channel for it yet.
    func registered(_ device: DeviceID, _ address: PushAddress, of owner: PushOwner) {
        guard address.kind != .courier else { return }
        state.withLock { _ = $0.devices[owner, default: []].insert(device) }
    }

    func removed(_ device: DeviceID, of owner: PushOwner) {
        state.withLock { state in
            state.devices[owner]?.remove(device)
            if state.devices[owner]?.isEmpty == true { state.devices[owner] = nil }
        }
    }

    /// The devices of these users that a channel serves.
    func devices(of users: Set<String>, in context: CloudContext) -> [(PushOwner, DeviceID)] {
        state.withLock { state in
            guard !state.devices.isEmpty, !state.channels.isEmpty else { return [] }
            return users.flatMap { user in
                let owner = PushOwner(context: context, userRecordName: user)
                return (state.devices[owner] ?? []).map { (owner, $0) }
            }
        }
    }

    /// Something was queued for these devices.
    func wake(_ devices: [(PushOwner, DeviceID)]) {
        guard !devices.isEmpty else { return }
        state.withLock { state in
            for (owner, device) in devices { Self.wake(device, of: owner, &state) }
        }
    }

    /// Devices that were registered before the server started.
    func resume(_ devices: [DeviceID], of owner: PushOwner) {
        state.withLock { state in
            for device in devices {
                state.devices[owner, default: []].insert(device)
                Self.wake(device, of: owner, &state)
            }
        }
    }

    private static func wake(_ device: DeviceID, of owner: PushOwner, _ state: inout sending State) {
        guard !state.isClosed, let service = state.service else { return }
        guard state.running[device] == nil else {
            state.running[device] = true
            return
        }
        state.running[device] = false
        state.tasks[device] = Task { await PushPump(service: service, owner: owner, device: device).run() }
    }

    /// Whether a pump that has nothing more to do may end; false if something came meanwhile.
    func mayEnd(_ device: DeviceID) -> Bool {
        state.withLock { state in
            if state.running[device] == true, !state.isClosed {
                state.running[device] = false
                return false
            }
            state.running[device] = nil
            state.tasks[device] = nil
            return true
        }
    }

    func close() {
        let tasks = state.withLock { state in
            state.isClosed = true
            return Array(state.tasks.values)
        }
        for task in tasks { task.cancel() }
    }
}

/// Gives one device's notifications to its channel until none is left.
struct PushPump: Sendable {
    let service: CloudService
    let owner: PushOwner
    let device: DeviceID

    func run() async {
        repeat {
            do {
                try await drain()
            } catch {
                service.environment.report(error)
            }
        } while !service.push.channels.mayEnd(device)
    }

    private func drain() async throws(CloudError) {
        guard let stored = try await service.device(device, of: owner),
            let channel = service.push.channels.channel(for: stored.address.kind)
        else { return }
        guard try await service.isRegistered(stored, owner) else { return try await remove() }
        let listener = try service.listen(owner, device, stored, after: nil, isStream: false)
        defer { listener.close() }
        var pause = PushLimits.retryPause
        while case .delivery(let delivery) = try await listener.next(patience: 0) {
            let message = PushMessage(
                notification: delivery.notification, expires: delivery.expires,
                trace: delivery.trace?.step(service.environment.random.integer()))
            let outcome = await channel.deliver(message, to: stored.address)
            service.push.history.note(
                message.notification, in: owner.context, channel: channel.kind.rawValue, outcome: outcome.word,
                at: service.environment.now())
            switch outcome {
            case .delivered:
                listener.confirm()
                pause = PushLimits.retryPause
            case .refused(let reason):
                listener.confirm()
                service.environment.report(
                    CloudError(.badRequest, "a push service permanently refuses a message: \(reason)"))
            case .gone: return try await remove()
            case .retry(let seconds):
                listener.putBack()
                let longest = PushLimits.longestRetryPause
                let wait = seconds.map { Int64(clamping: min(max($0, 0), Int(longest / 1_000))) * 1_000 } ?? pause
                pause = min(2 * pause, longest)
                do {
                    try await Task.sleep(for: .milliseconds(wait))
                } catch {
                    // The server stops; the message waits in the store.
                    return
                }
            }
        }
    }

    private func remove() async throws(CloudError) {
        try await service.removeDevice(device, of: owner)
        service.push.channels.removed(device, of: owner)
    }
}
