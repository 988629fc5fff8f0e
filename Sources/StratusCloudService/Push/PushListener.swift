import StratusCloudModel
import Synchronization

/// Somebody who waits for the notifications of one device: a long poll, an event stream, or a push channel.
///
/// A device has one listener; a later one ends the earlier. ``close()`` must be called at the end.
public final class PushListener: Sendable {
    private let service: CloudService
    private let ticket: PushHub.Ticket
    private let device: PushDevice
    /// The directory's generation under which the registration was last found good.
    private let checked: Atomic<UInt64>

    init(service: CloudService, ticket: PushHub.Ticket, device: PushDevice) {
        self.service = service
        self.ticket = ticket
        self.device = device
        checked = Atomic(service.directory.generation)
    }

    /// A notification and where in the device's stream it stands.
    public struct Delivery: Hashable, Sendable {
        /// What to tell.
        public let notification: CloudNotification
        /// Names the place behind it, to go on from there later. Opaque.
        public let eventID: String
        /// Milliseconds since 1970-01-01 UTC after which it is not worth telling.
        public let expires: Int64
        /// Of the request that caused it, where its client has one.
        public let trace: TraceContext?
    }

    /// Why nothing is delivered.
    public enum Pause: Hashable, Sendable {
        case delivery(Delivery)
        /// The time is over; ask again.
        case nothing
        /// This listener is over: another took its place, the registration ended, or the server stops.
        case ended
    }

    /// Waits for the next notification, at most `patience` milliseconds.
    ///
    /// What the device's owner may no longer read is left out.
    /// - Throws: `tryAgainLater`, `internalError` when the queue cannot be read.
    public func next(patience: Int64) async throws(CloudError) -> Pause {
        while true {
            guard let step = service.push.hub.next(ticket) else { return .ended }
            switch step {
            case .load(let cursor): try await load(from: cursor)
            case .deliver(let queued, let event):
                guard try await isStillRegistered() else {
                    service.push.hub.dismiss(ticket.device, of: ticket.owner)
                    return .ended
                }
                guard try await service.mayTell(queued, ticket.owner) else { continue }
                if device.address.kind == .courier {
                    service.push.history.note(
                        queued.notification, in: ticket.owner.context, channel: device.address.kind.rawValue,
                        outcome: "delivered", at: service.environment.now())
                }
                return .delivery(
                    Delivery(
                        notification: queued.notification, eventID: event.text,
                        expires: queued.time + PushLimits.queueTime, trace: queued.trace))
            case .wait:
                guard await service.push.hub.wait(ticket, patience: patience) else {
                    guard service.push.hub.isCurrent(ticket) else { return .ended }
                    // A session also expires while nothing happens.
                    if patience > 0, try await !isStillRegistered() {
                        service.push.hub.dismiss(ticket.device, of: ticket.owner)
                        return .ended
                    }
                    return .nothing
                }
            }
        }
    }

    /// Calls `body` once, when something may have come or nothing did within `patience` milliseconds; ask for it with
    /// ``next(patience:)`` then. No task waits meanwhile, so that many listeners can.
    public func whenReady(patience: Int64, _ body: @escaping @Sendable () -> Void) {
        service.push.hub.wait(ticket, patience: patience) { _ in body() }
    }

    /// Ends what ``whenReady(patience:_:)`` waits for.
    public func stopWaiting() { service.push.hub.stopWaiting(ticket) }

    /// The last delivery could not be sent: it comes again.
    public func putBack() { service.push.hub.putBack(ticket) }

    /// The device certainly has the last delivery.
    public func confirm() { service.push.hub.confirm(ticket) }

    /// Ends the listening. The device's notifications wait.
    public func close() { service.push.hub.leave(ticket) }

    /// Nothing is read as long as nothing was revoked; the session is known in memory.
    private func isStillRegistered() async throws(CloudError) -> Bool {
        let generation = service.directory.generation
        if checked.load(ordering: .relaxed) == generation { return try await service.isSessionLive(of: device) }
        guard try await service.isRegistered(device, ticket.owner) else { return false }
        checked.store(generation, ordering: .relaxed)
        return true
    }

    private func load(from cursor: PushCursor) async throws(CloudError) {
        do {
            let stored = try await service.waiting(for: ticket.owner, after: cursor)
            service.push.hub.fill(ticket, stored)
        } catch {
            service.push.hub.fill(ticket, nil)
            throw error
        }
    }
}
