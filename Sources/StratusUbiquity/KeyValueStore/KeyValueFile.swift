import Foundation
import Glibc
import StratusCloudModel
import StratusDeviceCredentials

/// The files of a store on this machine, which processes share.
struct KeyValueFile: Sendable {
    /// A directory of its own.
    let directory: String
    /// Stores that were used before somebody signed in, or before the program had a configuration. Their values become
    /// those of this one.
    let former: [FormerKeyValueFile]

    /// Bytes that a file may have: values twice, as the server has them and as they wait, and room for the rest.
    static let limit = 8 * 1_048_576

    var path: String { directory + "/values" }
    private var statePath: String { directory + "/sync-state" }
    private var lockPath: String { directory + "/values.lock" }
    /// The process that holds this lock synchronizes the store for all others.
    var syncLockPath: String { directory + "/sync.lock" }

    /// The directory of a store, below `$XDG_DATA_HOME` or `~/.local/share`.
    /// - Parameters:
    ///   - container: The container that the app's configuration names. A program without a configuration has stores of
    ///     its own, which become the container's when it gets one.
    ///   - store: The store's identifier; nil for the default one.
    ///   - account: Who is signed in, and to which cloud; nil for nobody. Each has stores of their own.
    init(
        container: String?, store: String?, account: UbiquityAccount?,
        variables: [String: String] = ProcessInfo.processInfo.environment
    ) {
        func absolute(_ name: String) -> String? { variables[name].flatMap { $0.hasPrefix("/") ? $0 : nil } }
        let base =
            absolute("XDG_DATA_HOME") ?? absolute("HOME").map { $0 + "/.local/share" }
            ?? FileManager.default.temporaryDirectory.path + "/stratus-data-\(getuid())"
        let stores = base + "/stratus/key-value-stores/"
        let name = "/" + (store.map { "store-" + $0 } ?? "default")
        var places = [stores + "program-" + Self.programName + name]
        if let container {
            places.append(stores + container + name)
            if let account { places.append(stores + "account-" + account.key + "/" + container + name) }
        }
        directory = places.removeLast()
        former = places.reversed().map { FormerKeyValueFile(directory: $0, user: account?.userRecordName) }
    }

    private static let programName: String = {
        let name = (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")) ?? "program"
        return KeyValueFormat.recordName(forKey: URL(fileURLWithPath: name).lastPathComponent)
    }()

    init(directory: String, former: [FormerKeyValueFile] = []) { (self.directory, self.former) = (directory, former) }

    /// Makes the directory, from a former one if that is possible.
    func makeDirectory() throws {
        if !FileManager.default.fileExists(atPath: directory) {
            try PrivateFile.makeDirectory(URL(fileURLWithPath: directory).deletingLastPathComponent().path)
            if former.contains(where: { $0.move(to: directory) }) { return }
        }
        try PrivateFile.makeDirectory(directory)
    }

    /// Keeps other processes from writing until the lock is gone. Blocks.
    func lock() throws -> FileLock { try FileLock.waiting(lockPath) }

    /// Reads the stored contents; nil if the file does not exist. A file of another kind, or a larger one, is renamed.
    /// - Throws: for a file that cannot be read.
    func read() throws -> KeyValueContents? {
        var status = stat()
        if stat(path, &status) == 0, status.st_size > Self.limit {
            setAside("it has more than \(Self.limit) bytes")
            return nil
        }
        guard let bytes = try PrivateFile.read(path, limit: Self.limit) else { return nil }
        do {
            return try PropertyListDecoder().decode(KeyValueContents.self, from: Data(bytes))
        } catch {
            setAside("it is damaged: \(error)")
            return nil
        }
    }

    private func setAside(_ reason: String) {
        KeyValueReplica.log("the key-value store begins anew without its file: \(reason)")
        rename(path, path + ".damaged")
    }

    /// Puts contents in the place of those that are stored; they survive a crash when this returns.
    func write(_ contents: KeyValueContents) throws {
        let encoder = PropertyListEncoder()
        encoder.outputFormat = .binary
        try PrivateFile.replace(path, with: Array(try encoder.encode(contents)))
    }

    /// Reads the stored state of the sync engine; nil if the engine has to begin.
    func readState() -> Data? {
        // Without it everything is fetched once more.
        (try? PrivateFile.read(statePath, limit: Self.limit)).flatMap { $0.map { Data($0) } }
    }

    func writeState(_ state: Data) throws { try PrivateFile.replace(statePath, with: Array(state)) }
}
