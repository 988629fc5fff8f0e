import Foundation
import StratusCloudModel
import Testing

@testable import StratusUbiquity

/// What the server's answers make of a store, without a server.
@Suite struct KeyValueContentsTests {
    private let old = Data("old".utf8), new = Data("new".utf8)

    private func stamp(_ uptime: Int64) -> ChangeStamp { ChangeStamp(date: 0, uptime: uptime, start: "x") }

    private func server(_ value: Data?, saved: Double = 0) -> KeyValueContents.ServerSide {
        .init(value: value, systemFields: Data(), saved: Date(timeIntervalSince1970: saved))
    }

    /// Of somebody who is signed in, with the first download behind them.
    private func contents(_ values: [String: Data?]) -> KeyValueContents {
        var contents = KeyValueContents()
        contents.signIn("ada")
        contents.take(values.map { .init(key: $0.key, server: server($0.value)) }, goneKeys: [])
        contents.finishFirstDownload()
        return contents
    }

    private func settled(
        _ contents: inout KeyValueContents, _ outcome: KeyValueContents.Outcome, isLatest: Bool = true
    ) -> [String] {
        let number = contents.entries["k"]?.pending?.number ?? 0
        return contents.settle(["k": (isLatest ? number : number - 1, outcome)])
    }

    @Test("what was saved waits no more, unless it was changed meanwhile") func saved() {
        for isLatest in [true, false] {
            var contents = contents(["k": old])
            _ = contents.write(new, forKey: "k", at: stamp(1))
            let again = settled(&contents, .saved(server(new)), isLatest: isLatest)
            #expect(again == (isLatest ? [] : ["k"]))
            #expect(contents.pendingKeys == again && contents.entries["k"]?.value == new)
            #expect(contents.announcements.count == 1, "only what was downloaded")
        }
    }

    @Test("a stale save is sent again, an older one gives way") func conflicts() {
        var contents = contents(["k": old])
        _ = contents.write(new, forKey: "k", at: stamp(1))
        let other = Data("other".utf8)
        let again = settled(&contents, .stale(server(other)))
        #expect(again == ["k"])
        #expect(contents.entries["k"]?.value == new)
        let rest = settled(&contents, .older(server(other)))
        #expect(rest.isEmpty && contents.entries["k"]?.value == other && contents.pendingKeys.isEmpty)
        #expect(contents.announcements.last?.reason == KeyValueChangeReason.server.rawValue)
        #expect(contents.announcements.last?.keys == ["k"])
    }

    @Test("without room the former value is back, but a removal is never taken back") func quota() {
        var contents = contents(["k": old])
        _ = contents.write(new, forKey: "k", at: stamp(1))
        let ofValue = settled(&contents, .quotaExceeded)
        #expect(ofValue.isEmpty && contents.entries["k"]?.value == old)
        #expect(contents.announcements.last?.reason == KeyValueChangeReason.quotaViolation.rawValue)
        _ = contents.write(nil, forKey: "k", at: stamp(2))
        let ofRemoval = settled(&contents, .quotaExceeded)
        #expect(ofRemoval == ["k"])
        #expect(contents.entries["k"]?.value == nil && contents.size == 0 && contents.keyCount == 0)
    }

    @Test("what fails for another reason stays") func failed() {
        var contents = contents([:])
        _ = contents.write(new, forKey: "k", at: stamp(1))
        let failed = settled(&contents, .failed)
        #expect(failed.isEmpty && contents.pendingKeys == ["k"])
        let gone = settled(&contents, .gone)
        #expect(gone == ["k"])
    }

    @Test("keys that a new list of the zone lacks are gone; what waits stays") func relisted() {
        var contents = contents(["a": old, "b": old, "k": old])
        _ = contents.write(new, forKey: "k", at: stamp(1))
        contents.keep(onlyKeys: ["a"])
        #expect(contents.keys == ["a", "k"] && contents.announcements.last?.keys == ["b"])
        #expect(contents.entries["k"]?.server == nil && contents.size == old.count + new.count)
    }

    @Test("the records of removed keys are deleted beyond 768, the oldest first") func removedKeys() {
        var contents = contents([:])
        let kept = KeyValueContents.removedKeysToKeep
        contents.take(
            (0..<kept + 2).map { .init(key: "\($0)", server: server(nil, saved: Double(-$0))) }, goneKeys: [])
        #expect(contents.removedKeysToForget == ["\(kept + 1)", "\(kept)"])
        contents.forget(contents.removedKeysToForget)
        #expect(contents.removedKeysToForget.isEmpty && contents.entries.count == kept)
    }

    @Test("a change of another process that was made later stays") func processes() {
        var contents = contents([:])
        let later = contents.write(new, forKey: "k", at: stamp(5))
        let earlier = contents.write(old, forKey: "k", at: stamp(4))
        #expect(later && !earlier)
        #expect(contents.entries["k"]?.value == new)
    }

    @Test("announcements are kept for a while only") func announcements() {
        var contents = KeyValueContents()
        for number in 0..<KeyValueContents.announcementsKept + 1 { contents.announce(.server, ["\(number)"]) }
        #expect(contents.announcements.count == KeyValueContents.announcementsKept)
        #expect(contents.announcements.first?.keys == ["1"])
    }
}
