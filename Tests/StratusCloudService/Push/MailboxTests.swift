import StratusCloudModel
import Testing

@testable import StratusCloudService

@Suite struct MailboxTests {
    private func notification(
        _ sequence: UInt64, _ lane: PushLane = .own, subscription: String? = nil, silent: Bool = false,
        from client: String? = nil
    ) throws -> QueuedNotification {
        let container = try #require(ContainerIdentifier("iCloud.org.example.tests"))
        var content = CloudNotification(
            notificationID: "n\(sequence)", container: container, scope: lane == .own ? .private : .public,
            subscriptionID: subscription ?? "s\(sequence)", userRecordName: "_u", kind: .zone(.default))
        if !silent { content.body = .init("!") }
        return QueuedNotification(
            lane: lane, sequence: sequence, time: Int64(sequence), originClientID: client, recordType: nil,
            creator: nil, notification: content)
    }

    private func loaded(_ cursor: PushCursor = PushCursor(), clientID: String? = nil) -> TestMailbox {
        let mailbox = TestMailbox(Mailbox(clientID: clientID, cursor: cursor))
        #expect(mailbox.next() == .load(cursor))
        mailbox.fill([])
        return mailbox
    }

    @Test func whatIsPublishedWhileLoadingStandsBehindWhatIsLoadedAndOnce() throws {
        let mailbox = TestMailbox(Mailbox(clientID: nil, cursor: PushCursor(own: 3, public: 0)))
        #expect(mailbox.next() == .load(PushCursor(own: 3, public: 0)))
        let late = try notification(6)
        #expect(mailbox.publish(late))
        mailbox.fill([try notification(4), try notification(5), late])
        #expect(mailbox.drain() == [4, 5, 6])
        #expect(!mailbox.publish(late))
        #expect(mailbox.next() == .wait)
    }

    @Test func whatIsInTheQueueBeforeItIsPublishedStandsBehindWhatCameBeforeIt() throws {
        let mailbox = TestMailbox(Mailbox(clientID: nil, cursor: PushCursor(own: 3, public: 0)))
        #expect(mailbox.next() == .load(PushCursor(own: 3, public: 0)))
        mailbox.publish(try notification(6))
        let next = try notification(7)
        mailbox.fill([try notification(4), try notification(5), next, try notification(20, .public)])
        #expect(!mailbox.publish(next))
        #expect(mailbox.drain() == [4, 5, 20, 6, 7])
    }

    @Test func aStragglerIsDelivered() throws {
        let mailbox = loaded()
        mailbox.publish(try notification(2))
        #expect(mailbox.drain() == [2])
        #expect(mailbox.publish(try notification(1)))
        #expect(mailbox.drain() == [1])
    }

    @Test func silentNotificationsOfTheSameAreOne() throws {
        let mailbox = loaded()
        for sequence in 1...5 as ClosedRange<UInt64> {
            mailbox.publish(try notification(sequence, subscription: "quiet", silent: true))
            mailbox.publish(try notification(sequence + 10, subscription: "loud"))
        }
        #expect(mailbox.drain() == [11, 12, 13, 14, 5, 15])
        mailbox.publish(try notification(6, subscription: "quiet", silent: true))
        #expect(mailbox.drain() == [6])
    }

    @Test func theDevicesOwnChangesAreLeftOut() throws {
        let mailbox = loaded(clientID: "me")
        #expect(!mailbox.publish(try notification(1, from: "me")))
        #expect(mailbox.publish(try notification(2, from: "other")))
        #expect(mailbox.drain() == [2])
    }

    @Test func repeatedAndConfirmed() throws {
        let mailbox = loaded()
        for sequence in 1...3 as ClosedRange<UInt64> { mailbox.publish(try notification(sequence)) }
        mailbox.next()
        mailbox.repeatLast()
        #expect(mailbox.received == PushCursor())
        #expect(mailbox.drain() == [1, 2, 3])
        mailbox.confirm()
        #expect(mailbox.received == PushCursor(own: 3, public: 0))
    }

    @Test func tooManyAreForgottenAndLoadedAgain() throws {
        let mailbox = loaded()
        let most = UInt64(Mailbox.most)
        for sequence in 1...most { mailbox.publish(try notification(sequence)) }
        mailbox.next()
        mailbox.publish(try notification(most + 1))
        mailbox.publish(try notification(most + 2))
        #expect(mailbox.isWaitOver)
        #expect(mailbox.next() == .load(PushCursor(own: 1, public: 0)))
        mailbox.fill([try notification(most + 1), try notification(most + 2)])
        #expect(mailbox.drain() == [most + 1, most + 2])
    }

    @Test func whatWasDeliveredIsForgottenInTheEnd() throws {
        let mailbox = loaded()
        for sequence in 1...1_000 as ClosedRange<UInt64> {
            mailbox.publish(try notification(sequence))
            #expect(mailbox.drain() == [sequence])
        }
        mailbox.confirm()
        #expect(mailbox.received == PushCursor(own: 1_000, public: 0))
    }

    @Test func resumesBehindAnEventThatIsRememberedAndLoadsElse() throws {
        let mailbox = loaded()
        var events: [EventID] = []
        // 3 is committed before 2 is delivered.
        for sequence in [1, 3, 2] as [UInt64] { mailbox.publish(try notification(sequence)) }
        while case .deliver(_, let event) = mailbox.next() { events.append(event) }
        mailbox.resume(after: events[1])
        #expect(mailbox.drain() == [2])
        let text = events[1].text
        #expect(EventID(text) == events[1])
        mailbox.resume(after: EventID(cursor: PushCursor(own: 9, public: 4), lane: .public, sequence: 4))
        #expect(mailbox.next() == .load(PushCursor(own: 9, public: 4)))
    }

    @Test(arguments: ["", "1", "1.2", "1.2.3", "1.2.c3", "-1.2.a3", "1.2.a", "z.z.bz", "1.2.a3.4"])
    func eventNamesAreReadStrictly(text: String) {
        #expect((EventID(text) != nil) == (text == "z.z.bz"))
    }

    @Test func bothLanesCount() throws {
        let mailbox = loaded()
        mailbox.publish(try notification(5, .public))
        mailbox.publish(try notification(2, .own))
        mailbox.next()
        guard case .deliver(_, let event) = mailbox.next() else { return #expect(Bool(false)) }
        #expect(event.cursor == PushCursor(own: 2, public: 5))
        #expect(event.text == "2.5.a2")
    }
}

/// A mailbox that expectations can change.
private final class TestMailbox {
    private var mailbox: Mailbox

    init(_ mailbox: Mailbox) { self.mailbox = mailbox }

    var isWaitOver: Bool { mailbox.isWaitOver }
    var received: PushCursor { mailbox.received }

    @discardableResult
    func publish(_ notification: QueuedNotification) -> Bool { mailbox.publish(notification) }
    @discardableResult
    func next() -> Mailbox.Step { mailbox.next() }
    func fill(_ stored: [QueuedNotification]) { mailbox.fill(stored) }
    func repeatLast() { mailbox.repeatLast() }
    func confirm() { mailbox.confirm() }
    func resume(after event: EventID) { mailbox.resume(after: event) }

    /// The numbers of all that waits.
    func drain() -> [UInt64] {
        var sequences: [UInt64] = []
        while case .deliver(let notification, _) = mailbox.next() { sequences.append(notification.sequence) }
        return sequences
    }
}
