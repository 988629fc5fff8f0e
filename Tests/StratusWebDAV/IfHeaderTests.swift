import StratusSeeds
import StratusWebDAV
import Testing

@Suite struct IfHeaderTests {
    @Test func listsWithoutATag() throws {
        let header = try IfHeader(#"(<urn:a> ["e1"]) (Not <DAV:no-lock>)"#)
        #expect(
            header.lists == [
                IfHeader.List([.init(.token("urn:a")), .init(.entityTag("\"e1\""))]),
                IfHeader.List([.init(.token("DAV:no-lock"), isNegated: true)]),
            ])
        #expect(header.tokens == ["urn:a"])
    }

    @Test func listsWithTags() throws {
        let header = try IfHeader("</a> (<urn:a>)(<urn:b>) </b>\t(Not<urn:c>)")
        #expect(
            header.lists == [
                IfHeader.List(resource: "/a", [.init(.token("urn:a"))]),
                IfHeader.List(resource: "/a", [.init(.token("urn:b"))]),
                IfHeader.List(resource: "/b", [.init(.token("urn:c"), isNegated: true)]),
            ])
    }

    @Test(arguments: [
        "", "()", "(", "(<urn:a>", "(<urn:a)", "(<>)", "([])", "</a>", "</a> </b> (<urn:a>)",
        "(<urn:a>) </a> (<urn:b>)",
        "urn:a", "(urn:a)", "(<urn:a>) x", "(Not)", "</a> (<urn:a>) </b>", "(Not Not <urn:a>)",
    ])
    func malformedHeadersAreRefused(text: String) {
        #expect(throws: WebDAVError.self) { try IfHeader(text) }
    }

    @Test func oneListMustHold() throws {
        let header = try IfHeader(#"(<urn:a> ["e1"]) (Not <urn:b>)"#)
        func holds(_ states: Set<IfHeader.State>) -> Bool { header.holds { states.contains($1) } }
        #expect(holds([.token("urn:a"), .entityTag("\"e1\""), .token("urn:b")]))
        #expect(holds([]))
        #expect(!holds([.token("urn:b"), .token("urn:a")]))
    }

    @Test func conditionsAreBounded() throws {
        let most = String(repeating: "(<urn:a>)", count: WebDAVLimits.conditions)
        _ = try IfHeader(most)
        #expect(throws: WebDAVError.self) { try IfHeader(most + "(<urn:a>)") }
        let long = "(<" + String(repeating: "a", count: WebDAVLimits.ifHeaderSize - 4) + ">)"
        _ = try IfHeader(long)
        #expect(throws: WebDAVError.self) { try IfHeader(long + " ") }
    }

    @Test func anyTextIsReadOrRefused() {
        var random = SeededRandom(seed: Seed.draw())
        let pieces = ["(", ")", "<", ">", "[", "]", "Not", "not ", "urn:a", "\"e\"", " ", "\t", "/a", "é"]
        for _ in 0..<5_000 {
            let text = (0..<random.below(14)).map { _ in pieces[random.below(pieces.count)] }.joined()
            guard let header = try? IfHeader(text) else { continue }
            #expect(header.lists.allSatisfy { !$0.conditions.isEmpty }, "\(random): \(text)")
        }
    }

    @Test func timeoutsAreBounded() {
        #expect(LockRequest.seconds(nil) == WebDAVLimits.lockSeconds)
        #expect(LockRequest.seconds("Infinite, Second-600") == 600)
        #expect(LockRequest.seconds("Second-0") == 1)
        #expect(LockRequest.seconds("Second-4100000000") == WebDAVLimits.lockSeconds)
        #expect(LockRequest.seconds("Second-99999999999999999999999") == WebDAVLimits.lockSeconds)
        #expect(LockRequest.seconds("Second--5") == WebDAVLimits.lockSeconds)
    }
}
