import StratusCloudModel

/// Listeners come, take what there is, and go.
extension PushHub {
    /// Sits down before a device's mailbox; whoever sat there gets up.
    /// - Parameters:
    ///   - device: as it is stored; its cursor counts only where none is remembered.
    ///   - event: where the device says it stopped; nil lets the server decide.
    /// - Returns: nil when the hub is closed.
    func sit(
        _ owner: PushOwner, _ id: DeviceID, _ device: PushDevice, after event: EventID?, isStream: Bool
    ) -> Ticket? {
        let now = uptime()
        let (ticket, former) = state.withLock { state -> (Ticket?, Waiter?) in
            guard !state.isClosed else { return (nil, nil) }
            let seat: PushSeat
            if let known = state.seats[owner]?.first(where: { $0.device == id }) {
                seat = known
                if seat.isExpected {
                    seat.mailbox.adopt(clientID: device.clientID, cursor: device.cursor)
                    seat.stored = device.cursor
                    seat.isExpected = false
                }
            } else {
                seat = PushSeat(owner, id, Mailbox(clientID: device.clientID, cursor: device.cursor), at: now)
                state.seats[owner, default: []].append(seat)
            }
            let former = seat.takeWaiter()
            if let event {
                seat.mailbox.resume(after: event)
            } else if let handedOut = seat.handedOut {
                // Who has received something comes back at once; who comes late has lost it on the way.
                if now - handedOut < PushLimits.confirmationTime {
                    seat.mailbox.confirm()
                } else {
                    seat.mailbox.repeatLast()
                }
            }
            seat.handedOut = nil
            seat.ticket += 1
            seat.isTaken = true
            seat.isStream = isStream
            seat.apiToken = device.apiToken
            seat.session = device.session
            seat.lastSeen = now
            return (Ticket(owner: owner, device: id, number: seat.ticket), former)
        }
        former?(false)
        return ticket
    }

    /// What comes next for a listener; nil when it has lost its seat.
    func next(_ ticket: Ticket) -> Mailbox.Step? {
        let now = uptime()
        return state.withLock { state in
            guard let seat = state.seat(ticket) else { return nil }
            let step = seat.mailbox.next()
            if case .deliver = step {
                seat.handedOut = now
                state.delivered += 1
            }
            return step
        }
    }

    /// Gives a listener's mailbox what the durable queue holds; nil if that could not be read.
    func fill(_ ticket: Ticket, _ stored: [QueuedNotification]?) {
        state.withLock { state in
            guard let seat = state.seat(ticket) else { return }
            if let stored { seat.mailbox.fill(stored) } else { seat.mailbox.failLoading() }
        }
    }

    /// What was handed out last could not be sent.
    func putBack(_ ticket: Ticket) {
        state.withLock { state in
            guard let seat = state.seat(ticket) else { return }
            seat.mailbox.repeatLast()
            seat.handedOut = nil
            state.delivered -= 1
        }
    }

    /// What was handed out was received for certain.
    func confirm(_ ticket: Ticket) {
        state.withLock { state in
            guard let seat = state.seat(ticket) else { return }
            seat.mailbox.confirm()
            seat.handedOut = nil
        }
    }

    /// Whether a listener still has its seat.
    func isCurrent(_ ticket: Ticket) -> Bool { state.withLock { $0.seat(ticket) != nil } }

    /// Gets up. The mailbox is kept for a while.
    func leave(_ ticket: Ticket) {
        let now = uptime()
        state.withLock { state in
            guard let seat = state.seat(ticket) else { return }
            seat.isTaken = false
            seat.lastSeen = now
        }
    }

    /// Sends everybody home; nobody sits down any more.
    func close() {
        let waiters = state.withLock { state in
            state.isClosed = true
            return state.seats.values.joined().compactMap { seat -> Waiter? in
                seat.ticket += 1
                seat.isTaken = false
                return seat.takeWaiter()
            }
        }
        for waiter in waiters { waiter(false) }
    }

    /// Ends the listeners of all devices whose registration has become void.
    func dismiss(where isVoid: @Sendable (PushSeat) -> Bool) {
        let waiters = state.withLock { state -> [Waiter] in
            var waiters: [Waiter] = []
            for (owner, seats) in state.seats where seats.contains(where: isVoid) {
                waiters += seats.filter(isVoid).compactMap { $0.takeWaiter() }
                let rest = seats.filter { !isVoid($0) }
                state.seats[owner] = rest.isEmpty ? nil : rest
            }
            return waiters
        }
        for waiter in waiters { waiter(false) }
    }

    /// Ends the listeners of all devices of a user.
    func dismissAll(of owner: PushOwner) {
        let waiters = state.withLock { state in
            (state.seats.removeValue(forKey: owner) ?? []).compactMap { $0.takeWaiter() }
        }
        for waiter in waiters { waiter(false) }
    }

    /// Ends the listeners of a device that is no longer registered.
    func dismiss(_ device: DeviceID, of owner: PushOwner) {
        let waiter = state.withLock { state -> Waiter? in
            guard let seat = state.seats[owner]?.first(where: { $0.device == device }) else { return nil }
            state.seats[owner]?.removeAll { $0 === seat }
            if state.seats[owner]?.isEmpty == true { state.seats[owner] = nil }
            return seat.takeWaiter()
        }
        waiter?(false)
    }
}
