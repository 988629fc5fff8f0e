import Foundation
import StratusCloudKit
import StratusCloudModel
import StratusTestSupport
import StratusTesting
import StratusWorkers

@testable import StratusUbiquity

/// Runs a history over real directories, with the agent and a whole cloud.
final class DriveSimulation {
    struct Crash: Error {}

    struct Violation: Error, CustomStringConvertible {
        let description: String
    }

    struct Device {
        let name: String
        let device: LocalCloud.Device
        let directory: String
        let state: String
        var agent: DriveAgent
        var offline: LocalCloud.Injection?
    }

    let cloud: LocalCloud
    let root: TemporaryDirectory
    private(set) var devices: [Device] = []
    private let ids = Lock(0)
    private var number = 0
    /// Contents that somebody closed, and those that somebody replaced or deleted on purpose.
    private(set) var written: Set<String> = []
    private(set) var removed: Set<String> = []
    private(set) var trace: [String] = []

    init() async throws {
        cloud = try await LocalCloud(LocalCloud.Options(seed: 1))
        cloud.clock.leaveMachine()
        root = try TemporaryDirectory()
        for index in 0..<DriveHistory.devices {
            let name = "device-\(index)"
            let directory = root.path + "/" + name
            try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
            let device = cloud.account("ada").device(name)
            let state = root.path + "/\(name).sqlite"
            devices.append(
                Device(
                    name: name, device: device, directory: directory, state: state,
                    agent: DriveAgent(
                        directory: directory, state: state, database: device.container.privateCloudDatabase,
                        settings: Self.settings(index, name))))
            try await start(index)
        }
    }

    /// The last device keeps only what was asked for.
    private static func settings(_ index: Int, _ name: String) -> DriveSettings {
        var settings = DriveSettings(deviceName: name)
        settings.downloadsNewFiles = index != DriveHistory.devices - 1
        return settings
    }

    private func start(_ index: Int) async throws {
        let device = devices[index]
        let ids = ids
        devices[index].agent = DriveAgent(
            directory: device.directory, state: device.state, database: device.device.container.privateCloudDatabase,
            settings: Self.settings(index, device.name))
        try await devices[index].agent.startManually {
            ids.withLock { number in
                number += 1
                return "id-\(1000 + number)"
            }
        }
    }

    static func run(_ history: DriveHistory) async throws -> (violation: String?, trace: [String]) {
        let simulation = try await DriveSimulation()
        var violation: String?
        do {
            for step in history.steps { try await simulation.take(step) }
            try await simulation.finish()
        } catch let error as Violation {
            violation = error.description
        }
        for device in simulation.devices { await device.agent.stop() }
        return (violation, simulation.trace)
    }

    private func take(_ step: DriveHistory.Step) async throws {
        trace.append("\(step)")
        switch step {
        case .synchronize(let index): try await synchronize(index, crashAt: nil)
        case .crash(let index, let count): try await synchronize(index, crashAt: count)
        case .offline(let index):
            guard devices[index].offline == nil else { return }
            devices[index].offline = cloud.faults.inject(.offline, device: devices[index].name, times: nil)
        case .online(let index):
            devices[index].offline?.remove()
            devices[index].offline = nil
        case .loseAnswer(let index): cloud.faults.inject(.dropAfterCommit, on: .writes, device: devices[index].name)
        case .expireTokens: cloud.expireChangeTokens()
        // Refused where it is not possible now.
        case .evict(let index, let place): _ = try? await devices[index].agent.evict(DrivePlaces.all[place])
        case .download(let index, let place): _ = try? await devices[index].agent.download(DrivePlaces.all[place])
        case .deselect(let index, let place):
            _ = try? await devices[index].agent.setSelected(false, DrivePlaces.all[place])
        case .select(let index, let place):
            _ = try? await devices[index].agent.setSelected(true, DrivePlaces.all[place])
        default: try use(step)
        }
    }

    private func synchronize(_ index: Int, crashAt: Int?) async throws {
        let left = Lock(crashAt)
        await devices[index].agent.at { name in
            let isNow = left.withLock { left in
                guard let count = left else { return false }
                left = count - 1
                return count == 0
            }
            if isNow { throw Crash() }
        }
        do {
            try await devices[index].agent.synchronizeFully()
        } catch is Crash {
            trace.append("  crashed")
        }
        if crashAt != nil {
            await devices[index].agent.stop()
            try await start(index)
        }
    }

    // MARK: - What people do

    private func use(_ step: DriveHistory.Step) throws {
        switch step {
        case .write(let index, let place): try write(path(index, place), atomically: false)
        case .replace(let index, let place): try write(path(index, place), atomically: true)
        case .truncate(let index, let place):
            let path = path(index, place)
            guard isFile(path) else { return }
            forget(path)
            guard truncate(path, 0) == 0 else { throw Crash() }
        case .move(let index, let from, let to):
            let (from, to) = (path(index, from), path(index, to))
            guard from != to, exists(from), !exists(to) || isFile(to) && isFile(from) else { return }
            forget(to)
            _ = rename(from, to)
        case .makeFolder(let index, let place): mkdir(path(index, place), 0o755)
        case .link(let index, let place): symlink("../../outside", path(index, place))
        case .execute(let index, let place):
            let path = path(index, place)
            if isFile(path) { chmod(path, 0o755) }
        case .delete(let index, let place):
            let path = path(index, place)
            forget(path)
            try? FileManager.default.removeItem(atPath: path)
        default: break
        }
    }

    private func path(_ index: Int, _ place: Int) -> String { devices[index].directory + "/" + DrivePlaces.all[place] }

    private func exists(_ path: String) -> Bool {
        var status = stat()
        return lstat(path, &status) == 0
    }

    private func isFile(_ path: String) -> Bool {
        var status = stat()
        return lstat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFREG
    }

    private func write(_ path: String, atomically: Bool) throws {
        guard !exists(path) || isFile(path), exists((path as NSString).deletingLastPathComponent) else { return }
        number += 1
        let text = "content \(number)" + String(repeating: ".", count: number % 3)
        forget(path)
        let target = atomically ? path + ".new" : path
        guard FileManager.default.createFile(atPath: target, contents: nil) || exists(target),
            let handle = FileHandle(forWritingAtPath: target)
        else { return }
        try handle.truncate(atOffset: 0)
        try handle.write(contentsOf: Data(text.utf8))
        try handle.close()
        if atomically { _ = rename(target, path) }
        written.insert(text)
    }

    /// What is at a path is replaced or deleted on purpose.
    private func forget(_ path: String) {
        if isFile(path) {
            if let data = FileManager.default.contents(atPath: path) {
                removed.insert(String(decoding: data, as: UTF8.self))
            }
            return
        }
        guard let files = FileManager.default.enumerator(atPath: path) else { return }
        for case let file as String in files where isFile(path + "/" + file) { forget(path + "/" + file) }
    }

    // MARK: - The end

    private func finish() async throws {
        cloud.faults.removeAll()
        for index in devices.indices {
            devices[index].offline = nil
            await devices[index].agent.at { _ in }
        }
        var trees: [[String]] = []
        for round in 0... {
            guard round < 12 else {
                throw Violation(
                    description: "the devices do not settle:\n" + trees.map { "\($0)" }.joined(separator: "\n"))
            }
            for device in devices {
                try await device.agent.synchronizeFully()
                for path in try await device.agent.deselectedPaths { try await device.agent.setSelected(true, path) }
                try await device.agent.download("")
            }
            let next = devices.map { tree($0.directory) }
            if next == trees, Set(next).count == 1 { break }
            trees = next
        }
        for device in devices {
            let failures = await device.agent.failures
            if !failures.isEmpty { throw Violation(description: "\(device.name) fails: \(failures)") }
        }
        let kept = try await contents()
        let lost = written.subtracting(removed).subtracting(kept)
        if !lost.isEmpty { throw Violation(description: "lost: \(lost.sorted()), in the tree \(trees.first ?? [])") }
    }

    private func tree(_ directory: String) -> [String] {
        var lines: [String] = []
        guard let files = FileManager.default.enumerator(atPath: directory) else { return [] }
        for case let file as String in files {
            if file == ".stratus" || file.hasPrefix(".stratus/") { continue }
            let path = directory + "/" + file
            var status = stat()
            guard lstat(path, &status) == 0 else { continue }
            if isFile(path) {
                let text = String(decoding: FileManager.default.contents(atPath: path) ?? Data(), as: UTF8.self)
                lines.append("\(file) \(status.st_mode & 0o100 != 0 ? "x" : "-") \(text)")
            } else {
                let target = (try? FileManager.default.destinationOfSymbolicLink(atPath: path)).map { " -> \($0)" }
                lines.append(file + (target ?? "/"))
            }
        }
        return lines.sorted()
    }

    /// The texts of a content: one, or those in a package.
    private func texts(in url: URL, _ data: Data) throws -> Set<String> {
        guard data.starts(with: Data("PK".utf8)) else { return [String(decoding: data, as: UTF8.self)] }
        let package = root.path + "/unpacked"
        defer { try? FileManager.default.removeItem(atPath: package) }
        try ZipReader(path: url.path).unpack(to: package)
        let files = FileManager.default.enumerator(atPath: package)?.allObjects as? [String] ?? []
        let inner = files.compactMap { FileManager.default.contents(atPath: package + "/" + $0) }
        return Set(inner.map { String(decoding: $0, as: UTF8.self) })
    }

    /// All contents on the server: current, former, and deleted.
    private func contents() async throws -> Set<String> {
        let database = devices[0].device.container.privateCloudDatabase
        let zoneID = CKRecordZone.ID(zoneName: FileFormat.zoneName)
        guard let records = try? await cloud.records(in: zoneID, of: cloud.account("ada")) else { return [] }
        var texts: Set<String> = []
        let ids = records.map { CKRecord.ID(recordName: $0.recordID.recordName, zoneID: zoneID) }
        for start in stride(from: 0, to: ids.count, by: 100) {
            for (_, result) in try await database.records(for: Array(ids[start..<min(start + 100, ids.count)])) {
                let record = try result.get()
                let assets =
                    [record[FileFormat.content] as? CKAsset].compactMap { $0 }
                    + (record[FileFormat.versions] as? [CKAsset] ?? [])
                for asset in assets {
                    guard let url = asset.fileURL, let data = FileManager.default.contents(atPath: url.path) else {
                        continue
                    }
                    texts.formUnion(try self.texts(in: url, data))
                    try? FileManager.default.removeItem(at: url)
                }
            }
        }
        return texts
    }
}
