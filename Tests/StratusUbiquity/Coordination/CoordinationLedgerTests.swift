import Foundation
import Testing

@testable import StratusUbiquity

/// Who may run, and who has to be asked.
@Suite struct CoordinationLedgerTests {
    var ledger = CoordinationLedger()

    @Test mutating func readersRunTogetherAndAWriterAlone() {
        let readers = [read("/a"), read("/a")]
        let writer = write("/a")
        #expect(readers.map(phase) == [.running, .running])
        #expect(phase(writer) == .waiting)
        #expect(ledger.end(readers[0]) == [])
        #expect(ledger.end(readers[1]) == ["p"])
        #expect(phase(writer) == .running)
    }

    @Test mutating func aReaderDoesNotOvertakeAWriterThatWaits() {
        let first = read("/a")
        let writer = write("/a")
        let second = read("/a")
        #expect(phase(second) == .waiting)
        _ = ledger.end(first)
        #expect(phase(writer) == .running)
        _ = ledger.end(writer)
        #expect(phase(second) == .running)
    }

    @Test mutating func aDirectoryCoversWhatIsInIt() {
        _ = write("/a/b")
        let ticket1 = read("/a/b/c")
        #expect(phase(ticket1) == .waiting)
        let ticket2 = read("/a")
        #expect(phase(ticket2) == .waiting)
        let ticket3 = read("/a/bc")
        #expect(phase(ticket3) == .running)
    }

    @Test mutating func aPackageIsOneItem() {
        _ = write("/a.rtfd/one", unit: "/a.rtfd")
        let ticket4 = write("/a.rtfd/two", unit: "/a.rtfd")
        #expect(phase(ticket4) == .waiting)
    }

    @Test mutating func equalPurposesDoNotBlockEachOther() {
        _ = write("/a", purpose: "x")
        let ticket5 = write("/a", purpose: "x")
        #expect(phase(ticket5) == .running)
        let ticket6 = write("/a", purpose: "y")
        #expect(phase(ticket6) == .waiting)
        // Also not with somebody in between, who waits for the first one.
        let ticket7 = write("/a", purpose: "x")
        #expect(phase(ticket7) == .running)
    }

    @Test mutating func whatAProcessLeftBehindIsReleased() {
        _ = write("/a", process: "dead")
        ledger.setPresenter(RegisteredPresenter(name: "P", process: "dead", path: "/a"))
        let writer = write("/a")
        #expect(phase(writer) == .waiting)
        #expect(ledger.end(process: "dead") == ["p"])
        #expect(phase(writer) == .running)
        #expect(ledger.presenters == [])
    }

    @Test mutating func presentersAreAskedFirstButNotTheCoordinatorsOwn() {
        present("P", "/a")
        let ticket8 = write("/a", presenter: "P")
        #expect(phase(ticket8) == .running)
        let reader = read("/a", purpose: "other")
        #expect(phase(reader) == .waiting)
    }

    @Test mutating func aPresenterThatIsAskedMayWrite() {
        present("P", "/a")
        let reader = read("/a")
        #expect(phase(reader) == .asking(["P"]))
        let save = write("/a", presenter: "P")
        #expect(phase(save) == .running)
        #expect(ledger.answered(reader) == [])
        #expect(phase(reader) == .answered)
        #expect(ledger.end(save) == ["p"])
        #expect(phase(reader) == .running)
    }

    @Test mutating func waitingClaimsFollowAnItemThatIsMoved() {
        let first = write("/a/b")
        let second = read("/a/b/c")
        present("P", "/a/b")
        ledger.move(from: "/a/b", to: "/d")
        #expect(ledger.claim(second)?.accesses.map(\.item) == ["/d/c"])
        #expect(ledger.presenters.map(\.path) == ["/d"])
        let ticket9 = write("/d")
        #expect(phase(ticket9) == .waiting)
        _ = ledger.end(first)
        #expect(phase(second) == .asking(["P"]) || phase(second) == .running)
    }

    /// What each option asks of presenters of the item, of something in it, and of the directory around it.
    @Test(
        arguments: [
            (false, 0, [PresenterQuestion.relinquishToReader, .save], []),
            (false, 1, [.relinquishToReader], []),
            (false, 4, [], []),
            (true, 0, [.relinquishToWriter], []),
            (true, 1, [.relinquishToWriter, .accommodateDeletion], [.accommodateSubitemDeletion("/a/b")]),
            (true, 2, [.relinquishToWriter], []),
            (true, 4, [.relinquishToWriter, .save], []),
            (true, 8, [.relinquishToWriter, .accommodateDeletion], [.accommodateSubitemDeletion("/a/b")]),
            (true, 16, [], []),
        ] as [(Bool, UInt, [PresenterQuestion], [PresenterQuestion])])
    mutating func questions(isWriting: Bool, options: UInt, own: [PresenterQuestion], around: [PresenterQuestion]) {
        let access = CoordinatedAccess(item: "/a/b", unit: "/a/b", isWriting: isWriting, options: options)
        let claim = CoordinationClaim(ticket: 1, process: "p", purpose: "x", presenter: nil, accesses: [access])
        func asked(_ path: String) -> [PresenterQuestion] {
            ledger.questions(for: RegisteredPresenter(name: "P", process: "p", path: path), before: claim)
        }
        #expect(asked("/a/b") == own)
        #expect(asked("/a/b/c") == own)
        #expect(asked("/a") == around)
        #expect(asked("/a/bc") == [])
    }

    @Test mutating func presentersAreToldWhatHappened() {
        present("item", "/a/b")
        present("folder", "/a")
        present("writer", "/a/b")
        func events(_ before: Bool, _ after: Bool, options: UInt = 0) -> [String: PresenterEvent] {
            let access = CoordinatedAccess(item: "/a/b", unit: "/a/b", isWriting: true, options: options)
            let outcome = AccessOutcome(access: access, existedBefore: before, existsAfter: after)
            let notices = ledger.notices(after: [outcome], by: "writer")
            return Dictionary(uniqueKeysWithValues: notices.map { ($0.presenter.name, $0.event) })
        }
        #expect(events(true, true) == ["item": .changed, "folder": .subitemChanged("/a/b")])
        #expect(events(false, true) == ["item": .changed, "folder": .subitemAppeared("/a/b")])
        #expect(events(true, false, options: 1) == ["folder": .subitemChanged("/a/b")])
        #expect(events(true, true, options: 16) == [:])
        let moves = ledger.notices(ofMoveFrom: "/a/b", to: "/c", by: "writer")
        #expect(moves.map(\.event) == [.moved("/c"), .subitemMoved("/a/b", "/c")])
    }
}

extension CoordinationLedgerTests {
    private func phase(_ ticket: Int) -> CoordinationClaim.Phase? { ledger.claim(ticket)?.phase }

    private mutating func present(_ name: String, _ path: String) {
        ledger.setPresenter(RegisteredPresenter(name: name, process: "p", path: path))
    }

    private mutating func read(_ path: String, purpose: String = UUID().uuidString) -> Int {
        let access = CoordinatedAccess(item: path, unit: path, isWriting: false, options: 0)
        return ledger.request(process: "p", purpose: purpose, presenter: nil, accesses: [access]).ticket
    }

    private mutating func write(
        _ path: String, unit: String? = nil, process: String = "p", purpose: String = UUID().uuidString,
        presenter: String? = nil
    ) -> Int {
        let access = CoordinatedAccess(item: path, unit: unit ?? path, isWriting: true, options: 0)
        return ledger.request(process: process, purpose: purpose, presenter: presenter, accesses: [access]).ticket
    }
}
