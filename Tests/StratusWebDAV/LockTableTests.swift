import StratusSeeds
import Testing

@testable import StratusWebDAV

@Suite struct LockTableTests {
    private static func lock(
        _ token: String, _ path: [String], shared: Bool = false, deep: Bool = false, expires: Int64 = 100
    ) -> WebDAVLock {
        WebDAVLock(
            token: token, path: path, root: "/", isShared: shared, isDeep: deep, owner: "", expires: expires)
    }

    @Test func exclusiveLocksKeepOthersOut() throws {
        var table = LockTable()
        try table.add(Self.lock("1", ["a", "b"]), now: 0)
        for (path, deep) in [(["a", "b"], false), (["a"], true), ([], true)] {
            #expect(throws: WebDAVError.self) { try table.add(Self.lock("2", path, shared: true, deep: deep), now: 0) }
        }
        try table.add(Self.lock("3", ["a"]), now: 0)
        try table.add(Self.lock("4", ["a", "b", "c"], deep: true), now: 0)
    }

    @Test func aDeepLockHoldsForEverythingBelow() throws {
        var table = LockTable()
        try table.add(Self.lock("1", ["a"], deep: true), now: 0)
        #expect(throws: WebDAVError.self) { try table.check(.content, of: ["a", "b", "c"], tokens: [], now: 0) }
        try table.check(.content, of: ["a", "b", "c"], tokens: ["1"], now: 0)
        try table.check(.content, of: ["ab"], tokens: [], now: 0)
        #expect(throws: WebDAVError.self) { try table.add(Self.lock("2", ["a", "b"]), now: 0) }
    }

    @Test func aTreeChangesWithAllItsLocks() throws {
        var table = LockTable()
        try table.add(Self.lock("1", ["a", "b"]), now: 0)
        try table.check(.content, of: ["a"], tokens: [], now: 0)
        #expect(throws: WebDAVError.self) { try table.check(.tree, of: ["a"], tokens: [], now: 0) }
        try table.check(.tree, of: ["a"], tokens: ["1"], now: 0)
        table.removeAll(within: ["a"])
        #expect(table.isEmpty)
    }

    @Test func oneOfTheSharedLocksIsEnough() throws {
        var table = LockTable()
        try table.add(Self.lock("1", ["a"], shared: true), now: 0)
        try table.add(Self.lock("2", ["a"], shared: true), now: 0)
        #expect(throws: WebDAVError.self) { try table.add(Self.lock("3", ["a"]), now: 0) }
        #expect(throws: WebDAVError.self) { try table.check(.content, of: ["a"], tokens: ["x"], now: 0) }
        try table.check(.content, of: ["a"], tokens: ["2"], now: 0)
    }

    @Test func locksExpireUnlessRefreshed() throws {
        var table = LockTable()
        try table.add(Self.lock("1", ["a"], expires: 100), now: 0)
        _ = try table.refresh(["1"], on: ["a"], until: 200, now: 99)
        #expect(table.locks(on: ["a"], now: 199).count == 1)
        #expect(table.locks(on: ["a"], now: 200).isEmpty)
        #expect(throws: WebDAVError.self) { try table.refresh(["1"], on: ["a"], until: 300, now: 200) }
        #expect(throws: WebDAVError.self) { try table.remove("1", on: ["a"], now: 200) }
    }

    @Test func locksOfAnAccountAreBounded() throws {
        var table = LockTable()
        for number in 0..<WebDAVLimits.locksPerAccount { try table.add(Self.lock("\(number)", ["\(number)"]), now: 0) }
        #expect(throws: WebDAVError.self) { try table.add(Self.lock("x", ["x"]), now: 0) }
        try table.add(Self.lock("y", ["y"], expires: 300), now: 100)
    }

    @Test func locksOfAResourceAreBounded() throws {
        var table = LockTable()
        let most = WebDAVLimits.locksPerResource
        for number in 0..<most { try table.add(Self.lock("\(number)", ["a"], shared: true, deep: true), now: 0) }
        for path in [["a"], ["a", "b", "c"]] {
            #expect(throws: WebDAVError.self) { try table.add(Self.lock("x", path, shared: true), now: 0) }
        }
        // A lock of the folder around them would be one more on what is in the folder.
        #expect(throws: WebDAVError.self) { try table.add(Self.lock("x", [], shared: true, deep: true), now: 0) }
        try table.add(Self.lock("y", [], shared: true), now: 0)
        try table.add(Self.lock("z", ["b"], shared: true, deep: true), now: 0)
        #expect(table.locks(on: ["a", "b"], now: 0).count == most)
    }

    @Test func locksOfAllAccountsAreBoundedAndNobodyLosesThemToALargerAccount() throws {
        var registry = LockRegistry()
        let (accounts, each) = (WebDAVLimits.locks / 100, 100)
        for account in 0..<accounts {
            for number in 0..<each {
                try registry.add(Self.lock("\(number)", ["\(number)"], expires: 1_000), of: "\(account)", now: 0)
            }
        }
        #expect(throws: WebDAVError.self) { try registry.add(Self.lock("x", ["x"]), of: "7", now: 0) }
        func counts() -> [Int] { (0..<accounts).map { registry.with("\($0)") { $0.count } } }
        #expect(counts().allSatisfy { $0 == each })
        for number in 1...3 { try registry.add(Self.lock("\(number)", ["\(number)"]), of: "small", now: 0) }
        #expect(counts().sorted() == Array(repeating: each - 1, count: 3) + Array(repeating: each, count: accounts - 3))
        // What has expired makes room for anybody.
        try registry.add(Self.lock("x", ["x"], expires: 2_000), of: "7", now: 100)
        #expect(registry.with("small") { $0.isEmpty })
    }

    @Test func ofManySmallAccountsNoneLosesItsLock() throws {
        var registry = LockRegistry()
        for account in 0..<WebDAVLimits.locks { try registry.add(Self.lock("1", []), of: "\(account)", now: 0) }
        #expect(throws: WebDAVError.self) { try registry.add(Self.lock("1", []), of: "new", now: 0) }
        #expect((0..<WebDAVLimits.locks).allSatisfy { account in registry.with("\(account)") { !$0.isEmpty } })
    }

    /// No two locks of which one is exclusive ever hold for the same resource.
    @Test func exclusiveLocksAreAlone() {
        var random = SeededRandom(seed: Seed.draw())
        var table = LockTable()
        let paths = [[], ["a"], ["a", "b"], ["a", "b", "c"], ["a", "d"], ["e"]]
        for step in 0..<3_000 {
            let path = paths[random.below(paths.count)]
            let now = Int64(step)
            switch random.below(4) {
            case 0: table.removeAll(within: path)
            case 1: _ = try? table.remove("\(random.below(step + 1))", on: path, now: now)
            default:
                let lock = Self.lock(
                    "\(step)", path, shared: random.chance(50), deep: random.chance(40),
                    expires: now + Int64(random.below(30)) + 1)
                _ = try? table.add(lock, now: now)
            }
            for path in paths {
                let locks = table.locks(on: path, now: now)
                #expect(locks.count < 2 || locks.allSatisfy(\.isShared), "\(random)")
            }
        }
    }

    @Test func whatAClientSaysOfAnOwnerIsBounded() throws {
        func request(_ size: Int) -> [UInt8] {
            Array(
                ("<lockinfo xmlns='DAV:'><lockscope><shared/></lockscope><locktype><write/></locktype><owner>"
                    + String(repeating: "o", count: size) + "</owner></lockinfo>").utf8)
        }
        #expect(try LockRequest(request(WebDAVLimits.lockOwnerSize)).owner.utf8.count == WebDAVLimits.lockOwnerSize)
        #expect {
            try LockRequest(request(WebDAVLimits.lockOwnerSize + 1))
        } throws: { error in
            (error as? WebDAVError)?.status == 400
                && (error as? WebDAVError)?.reason.contains("more than \(WebDAVLimits.lockOwnerSize) bytes") == true
        }
    }
}
