import CloudKit
import StratusTestSupport
import StratusTesting
import Testing

@Suite struct LeakTests {
    private static let maker = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
        .deletingLastPathComponent().appendingPathComponent("StratusCloudMaker").path

    @Test func aDroppedCloudIsGone() async throws {
        weak var last: LocalCloud?
        do {
            let cloud = try await LocalCloud()
            try await cloud.account("ada").container.privateCloudDatabase.save(note("a"))
            last = cloud
        }
        #expect(last == nil)
    }

    @Test("1,000 clouds, made, used and dropped, leave nothing behind")
    func nothingStays() async throws {
        // What is made once for the process, and what the allocator keeps, are there after the first few.
        let maker = try ChildProcess(Self.maker, ["200", "1000"])
        let (output, errors) = await (maker.standardOutput, maker.standardError)
        let ending = await maker.ending
        #expect(ending == .exited(0), "\(errors)")
        let held = output.split(separator: "\n").map { $0.split(separator: " ").compactMap { Int($0) } }
        try #require(held.map(\.count) == [3, 3], "\(output)")
        // A cloud holds some 100 KB: a thousand that stay would be 100 MB.
        #expect(held[1][0] - held[0][0] < 12 << 20, "resident bytes: \(output)")
        #expect(held[1][1] <= held[0][1], "file descriptors: \(output)")
        #expect(held[1][2] - held[0][2] <= 2, "threads: \(output)")
    }
}
