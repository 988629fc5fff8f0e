import StratusCloudModel

/// What commits tell, and make untold.
extension PushHub {
    /// Takes the notifications of a durable commit to the devices that are here.
    func publish(_ notifications: [QueuedNotification], in context: CloudContext) {
        let woken = state.withLock { state in
            var woken: [Waiter] = []
            for notification in notifications {
                let owner = PushOwner(context: context, userRecordName: notification.notification.userRecordName)
                for seat in state.seats[owner] ?? [] where seat.mailbox.publish(notification) {
                    if let waiter = seat.takeWaiter() { woken.append(waiter) }
                }
            }
            return woken
        }
        for waiter in woken { waiter(true) }
    }

    /// Makes room for a device that will come for what is about to be published, unless it is here.
    func expect(_ device: DeviceID, of owner: PushOwner) {
        let now = uptime()
        state.withLock { state in
            guard !state.isClosed, state.seats[owner]?.contains(where: { $0.device == device }) != true else { return }
            let seat = PushSeat(owner, device, Mailbox(), at: now)
            seat.isExpected = true
            state.seats[owner, default: []].append(seat)
        }
    }

    /// Drops what a deleted subscription had to say and was not handed out.
    func forget(_ subscriptionID: String, _ scope: DatabaseScope, of owner: PushOwner) {
        state.withLock { state in
            for seat in state.seats[owner] ?? [] {
                seat.mailbox.forget {
                    $0.notification.subscriptionID == subscriptionID && $0.notification.scope == scope
                }
            }
        }
    }
}
