import Foundation
import StratusCloudKit
import StratusCloudModel
import StratusTesting
import StratusUbiquity

/// The rules that hold when nothing goes wrong any more and nobody writes.
extension DriveSimulation {
    /// Rounds within which all devices must have the same.
    private static let rounds = 14

    func finish() async throws {
        cloud.faults.removeAll()
        restartServer()
        for device in devices {
            device.disk.free()
            device.person.closeAll()
        }
        note(["in the end"])
        try await settle()
        try await checkAgents()
        let server = try await DriveServerFiles(cloud, devices[0].device, root.path)
        try check(server)
        try await checkQuiet()
    }

    private func settle() async throws {
        var trees: [[String]] = []
        for _ in 0..<Self.rounds {
            // The server asked devices to wait for some seconds.
            cloud.clock.advance(by: .seconds(60))
            for index in devices.indices {
                try await finish(index, .synchronize)
                try await finish(index, .download)
            }
            let next = devices.map { tree($0.directory) }
            if next == trees, Set(next).count == 1 { return }
            trees = next
        }
        throw DriveViolation(rule: .settles, text: trees.map { "\n\($0)" }.joined())
    }

    private enum LastWork { case synchronize, download }

    /// Lets an agent do all that is left. Now nothing may fail.
    private func finish(_ index: Int, _ work: LastWork) async throws {
        if devices[index].agent == nil { try await start(index) }
        guard let agent = devices[index].agent else {
            throw DriveViolation(rule: .failsNot, text: "\(devices[index].name) does not start")
        }
        let moments = moments(index)
        agent.checkpoints.set(moments.reach)
        do {
            switch work {
            case .synchronize: try await agent.synchronizeFully()
            case .download:
                for path in try await agent.deselectedPaths { try await agent.setSelected(true, path) }
                try await agent.download("")
            }
        } catch {
            note(moments.trace)
            throw DriveViolation(rule: .failsNot, text: "\(devices[index].name): \(error)")
        }
        note(["\(devices[index].name): \(work)"] + moments.trace + ["  then: \(tree(devices[index].directory))"])
    }

    private func checkAgents() async throws {
        for device in devices {
            guard let status = try await device.agent?.status() else { continue }
            let failures = status.failures.map { "'\($0.path)': \($0.error.text)" }
            if !failures.isEmpty || status.pending > 0 || !status.transfers.isEmpty {
                throw DriveViolation(rule: .failsNot, text: "\(device.name) has \(status.pending) pending, \(failures)")
            }
            for name in ["staging", "aside"] {
                let left = LocalFiles.names(device.directory + "/.stratus/" + name)
                if !left.isEmpty { throw DriveViolation(rule: .leavesNothing, text: "\(device.name): \(name) \(left)") }
            }
        }
    }

    private func check(_ server: DriveServerFiles) throws {
        guard let directory = devices.first?.directory else { return }
        let here = DriveServerFiles.lines(of: directory)
        if here != server.lines {
            throw DriveViolation(rule: .isEqual, text: "\nhere \(here)\nthe server has \(server.lines)")
        }
        var contents: Set<String> = []
        collect(directory, &contents)
        let invented = contents.subtracting(ledger.written).subtracting([""])
        if !invented.isEmpty { throw DriveViolation(rule: .inventsNothing, text: "\(invented.sorted())") }
        let lost = ledger.wanted.filter { !server.has($0, withVersions: mutation != .noVersions) }
        if !lost.isEmpty { throw DriveViolation(rule: .keepsContents, text: "\(lost.sorted()), in \(here)") }
    }

    /// New processes find nothing to do.
    private func checkQuiet() async throws {
        let before = devices.map { tree($0.directory) }
        cloud.forgetRequests()
        for index in devices.indices {
            await stop(index)
            try await finish(index, .synchronize)
        }
        let requests = cloud.requests([.saveRecords, .deleteRecords, .uploadAssets, .downloadAssets])
        if !requests.isEmpty { throw DriveViolation(rule: .isQuiet, text: requests.map(\.description).joined()) }
        let after = devices.map { tree($0.directory) }
        if after != before { throw DriveViolation(rule: .isQuiet, text: "\(before) became \(after)") }
    }

    private func collect(_ directory: String, _ contents: inout Set<String>) {
        for name in LocalFiles.names(directory) where name != ".stratus" {
            let path = directory + "/" + name
            if LocalFiles.isFolder(path) {
                collect(path, &contents)
            } else if LocalFiles.isFile(path), let text = LocalFiles.text(path) {
                contents.insert(text)
            }
        }
    }

    /// Everything in a directory, with contents.
    func tree(_ directory: String, _ prefix: String = "") -> [String] {
        var lines: [String] = []
        for name in LocalFiles.names(directory) where !prefix.isEmpty || name != ".stratus" {
            let (path, shown) = (directory + "/" + name, prefix + name.escaped)
            guard let status = LocalFiles.status(path) else { continue }
            if LocalFiles.isFolder(path) {
                lines.append(shown + "/")
                lines += tree(path, shown + "/")
            } else if LocalFiles.isFile(path) {
                lines.append("\(shown)\(status.st_mode & 0o100 != 0 ? "*" : "") = \(LocalFiles.text(path) ?? "?")")
            } else {
                let target = try? FileManager.default.destinationOfSymbolicLink(atPath: path)
                lines.append("\(shown) -> \(target ?? "?")")
            }
        }
        return lines
    }
}

extension String {
    /// With other characters than those of ASCII escaped, and cut if it is long.
    var escaped: String {
        let text = unicodeScalars.map { $0.escaped(asASCII: true) }.joined()
        return text.utf8.count > 60 ? "\(text.prefix(4))…\(text.utf8.count)" + text.suffix(4) : text
    }
}
