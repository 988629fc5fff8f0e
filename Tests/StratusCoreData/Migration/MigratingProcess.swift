import Foundation
import Glibc
import StratusCoreData
import Testing

/// A process that runs this program again, to migrate one store.
final class MigratingProcess {
    /// The status of a process that could not write.
    static let noRoom: Int32 = 3
    private static let fileVariable = "MIGRATION_FILE"
    private static let kindVariable = "MIGRATION_KIND"

    private let process = Process()
    private let output = Pipe()
    private let notifications: FileHandle

    init(_ kind: MigrationKind, of file: URL, _ environment: [String: String] = [:]) throws {
        let descriptor = inotify_init1(Int32(IN_CLOEXEC))
        notifications = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
        let folder = file.deletingLastPathComponent().path
        #expect(inotify_add_watch(descriptor, folder, UInt32(IN_MODIFY)) >= 0)
        process.executableURL = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
        process.arguments = [
            "--testing-library", "swift-testing", "--filter", "MigrationProcessTests/migrateInThisProcess",
        ]
        process.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
            .merging([Self.fileVariable: file.path, Self.kindVariable: kind.rawValue]) { $1 }
        process.standardOutput = output
        process.standardError = output
    }

    var status: Int32 { process.terminationStatus }

    /// Runs the process to its end, or kills it when it has written often enough.
    /// - Returns: The number of writes that were seen.
    func run(killedAfter limit: Int) throws -> Int {
        try process.run()
        var writes = 0
        var buffer = [UInt8](repeating: 0, count: 65_536)
        var waiting = [notifications, output.fileHandleForReading].map {
            pollfd(fd: $0.fileDescriptor, events: Int16(POLLIN), revents: 0)
        }
        while poll(&waiting, 2, -1) >= 0 || errno == EINTR {
            if waiting[0].revents != 0 {
                let count = read(waiting[0].fd, &buffer, buffer.count)
                writes += max(0, Self.events(in: buffer[..<max(0, count)]))
                if writes >= limit {
                    kill(process.processIdentifier, SIGKILL)
                    break
                }
            } else if waiting[1].revents != 0, read(waiting[1].fd, &buffer, buffer.count) <= 0 {
                break
            }
        }
        process.waitUntilExit()
        return writes
    }

    private static func events(in bytes: ArraySlice<UInt8>) -> Int {
        var count = 0
        var place = 0
        bytes.withUnsafeBytes { bytes in
            while place + MemoryLayout<inotify_event>.size <= bytes.count {
                let event = bytes.loadUnaligned(fromByteOffset: place, as: inotify_event.self)
                place += MemoryLayout<inotify_event>.size + Int(event.len)
                count += 1
            }
        }
        return count
    }

    // MARK: - The process itself

    static var isChild: Bool { ProcessInfo.processInfo.environment[fileVariable] != nil }

    /// Migrates the store of the environment and ends the process.
    static func migrate() {
        let environment = ProcessInfo.processInfo.environment
        if let limit = environment["MIGRATION_FILE_LIMIT"].flatMap(UInt.init) {
            signal(SIGXFSZ, SIG_IGN)
            var limits = rlimit(rlim_cur: limit, rlim_max: limit)
            setrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limits)
        }
        do {
            let before = kilobytes("VmRSS:")
            let file = URL(fileURLWithPath: environment[fileVariable] ?? "")
            let kind = try #require(MigrationKind(rawValue: environment[kindVariable] ?? ""))
            try kind.migrate(file)
            let limit = environment["MIGRATION_MEMORY_LIMIT"].flatMap(Int.init) ?? .max
            exit(kilobytes("VmHWM:") - before < limit ? 0 : 5)
        } catch {
            exit([134_080, 640].contains((error as NSError).code) ? noRoom : 4)
        }
    }

    private static func kilobytes(_ name: String) -> Int {
        let status = (try? String(contentsOfFile: "/proc/self/status", encoding: .utf8)) ?? ""
        let line = status.split(separator: "\n").first { $0.hasPrefix(name) } ?? ""
        return line.split(whereSeparator: { !$0.isNumber }).first.flatMap { Int($0) } ?? 0
    }
}
