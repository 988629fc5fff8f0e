import FoundationEssentials
import Glibc

/// An agent over many items that has nothing to do. Their contents are not on the device, so that it is soon ready.
struct DriveIdle {
    let bench: Bench

    private static let greatestSize = 64.0
    private static let greatestShare = 0.001
    private static let perFolder = 1_000

    private var items: Int { bench.settings.isQuick ? 10_000 : 100_000 }
    private var seconds: Int { bench.settings.isQuick ? 10 : 60 }

    func findings() throws -> [Finding] {
        Progress.say("drive: \(items) items")
        let directory = try TemporaryDirectory(in: bench.directory)
        defer { directory.remove() }
        let cloud = try StratusFiles(in: directory, bench)
        defer { cloud.server.stop() }
        for number in 0..<items / Self.perFolder {
            // The folder is one of the items.
            try cloud.makeFiles(Self.perFolder - 1, in: "folder-\(number)")
        }
        let device = try DriveDevice(cloud, home: "\(directory.path)/home", options: ["--placeholders"])
        defer { device.stop() }
        let start = Clock.now()
        try device.start()
        let ready = try device.settle(since: start, items: items, "\(items) items")
        Progress.say("drive: an idle agent, \(seconds) s")
        let before = ProcessTree.cpuSeconds([device.process])
        sleep(UInt32(seconds))
        let share = (ProcessTree.cpuSeconds([device.process]) - before) / Double(seconds)
        let size = ProcessTree.residentSize(device.process)
        let title = "drive, an idle agent over \(items) items"
        return [
            Finding(title, "CPU", share * 100, "% of a core").judged("< 0.1 %", share < Self.greatestShare)
                .noted("\(Table.number(ready)) s after its start with an empty directory"),
            Finding(title, "memory", size, "MiB").judged("< 64 MiB", size < Self.greatestSize),
        ]
    }
}
