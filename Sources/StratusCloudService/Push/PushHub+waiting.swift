import StratusCloudModel

/// Listeners who wait, and the time they wait.
extension PushHub {
    /// Sleeps until something comes: false when `patience` milliseconds are over, the seat is lost, or the task is
    /// cancelled.
    func wait(_ ticket: Ticket, patience: Int64) async -> Bool {
        if patience <= 0 { return state.withLock { $0.seat(ticket)?.mailbox.isWaitOver ?? false } }
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                wait(ticket, patience: patience, isCancelled: Task.isCancelled) { continuation.resume(returning: $0) }
            }
        } onCancel: {
            stopWaiting(ticket)
        }
    }

    /// As ``wait(_:patience:)``, without a task: `waiter` is called once.
    func wait(_ ticket: Ticket, patience: Int64, isCancelled: Bool = false, _ waiter: @escaping Waiter) {
        let deadline = uptime() + patience
        let answer = state.withLock { state -> Bool? in
            guard let seat = state.seat(ticket), !isCancelled else { return false }
            // Something may have come since the listener looked.
            if seat.mailbox.isWaitOver { return true }
            seat.waiter = waiter
            seat.deadline = deadline
            return nil
        }
        if let answer { waiter(answer) }
    }

    /// Tells a listener that waits to wait no more.
    func stopWaiting(_ ticket: Ticket) {
        let waiter = state.withLock { state in state.seat(ticket).flatMap { $0.takeWaiter() } }
        waiter?(false)
    }

    /// Sends home who has waited long enough, and forgets devices that have not been here for a while. Called every
    /// second or so.
    /// - Returns: what should be stored of their reading.
    func tick(storing: Bool) -> [Progress] {
        let now = uptime()
        let (late, progress) = state.withLock { state in
            var late: [Waiter] = []
            var progress: [Progress] = []
            for (owner, seats) in state.seats {
                var remaining = seats
                for seat in seats {
                    if seat.deadline <= now, let waiter = seat.takeWaiter() { late.append(waiter) }
                    if seat.isStream, let handedOut = seat.handedOut, now - handedOut >= PushLimits.confirmationTime {
                        seat.mailbox.confirm()
                        seat.handedOut = nil
                    }
                    let isGone = !seat.isTaken && now - seat.lastSeen >= PushLimits.mailboxTime
                    if isGone { remaining.removeAll { $0 === seat } }
                    guard isGone || storing, seat.mailbox.received != seat.stored else { continue }
                    seat.stored = seat.mailbox.received
                    progress.append(Progress(owner: owner, device: seat.device, cursor: seat.stored))
                }
                if remaining.count < seats.count { state.seats[owner] = remaining.isEmpty ? nil : remaining }
            }
            return (late, progress)
        }
        for waiter in late { waiter(false) }
        return progress
    }
}
