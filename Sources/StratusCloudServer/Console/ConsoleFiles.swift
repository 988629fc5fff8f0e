import Glibc
import StratusCloudCrypto
import StratusWorkers

/// The console's files, read from the disk and compressed when they are first asked for, and kept.
///
/// What is served is found in a table of what lies in the directory: no path of a request is ever opened.
final class ConsoleFiles: Sendable {
    /// Files of the console, all directories together.
    private static let count = 500
    /// Bytes of one file.
    private static let size = 4_194_304
    /// Directories within directories.
    private static let depth = 4

    private static let contentTypes = [
        "html": "text/html; charset=utf-8", "js": "text/javascript; charset=utf-8", "css": "text/css; charset=utf-8",
        "svg": "image/svg+xml", "json": "application/json",
    ]

    /// The application as a whole.
    struct Application: Sendable {
        /// By their paths below the directory.
        var files: [String: ConsoleFile]
        /// The page, which names the other files by the version.
        var index: ConsoleFile
        /// Changes whenever a file does.
        var version: String
    }

    private let directory: String?
    private let application = Lock<Application?>(nil)
    private let libraries = Lock<[String: ConsoleFile]>([:])

    /// - Parameter directory: of `index.html`; nil if there is none.
    init(directory: String?) { self.directory = directory }

    /// The application; nil if its directory is not there, or cannot be read.
    func loaded() -> Application? {
        guard let directory else { return nil }
        return application.withLock { application in
            if application == nil { application = Self.load(directory) }
            return application
        }
    }

    /// A library's file; nil if it is none, or its package is not installed.
    func library(_ name: String) -> ConsoleFile? {
        guard let type = Self.contentType(of: name) else { return nil }
        return libraries.withLock { libraries in
            if let file = libraries[name] { return file }
            guard let bytes = ConsoleLibrary.bytes(of: name, read: Self.read) else { return nil }
            let file = ConsoleFile(bytes, contentType: type)
            libraries[name] = file
            return file
        }
    }

    private static func load(_ directory: String) -> Application? {
        var bytes: [String: [UInt8]] = [:]
        collect(directory, below: "", depth: depth, into: &bytes)
        guard let page = bytes.removeValue(forKey: "index.html") else { return nil }
        var hash = SHA256()
        for (path, content) in bytes.sorted(by: { $0.key < $1.key }) {
            hash.update(Array("\(path)\n\(content.count)\n".utf8))
            hash.update(content)
        }
        let version = String(Hex.encode(hash.digest()).prefix(16))
        let text = String(decoding: page, as: UTF8.self).replacing("{version}", with: version)
        let files = bytes.reduce(into: [String: ConsoleFile]()) { files, entry in
            guard let type = contentType(of: entry.key) else { return }
            files[entry.key] = ConsoleFile(entry.value, contentType: type)
        }
        return Application(
            files: files, index: ConsoleFile(Array(text.utf8), contentType: contentTypes["html"] ?? "text/html"),
            version: version)
    }

    /// Reads what lies in a directory, but nothing hidden and nothing of other kinds.
    private static func collect(
        _ directory: String, below prefix: String, depth: Int, into files: inout [String: [UInt8]]
    ) {
        guard depth > 0, let listing = opendir(directory) else { return }
        defer { closedir(listing) }
        while let entry = readdir(listing) {
            let name = withUnsafePointer(to: &entry.pointee.d_name) { pointer in
                pointer.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
            }
            guard !name.hasPrefix("."), files.count < count else { continue }
            let path = directory + "/" + name
            if contentType(of: name) != nil {
                files[prefix + name] = read(path)
            } else if !name.contains(".") {
                collect(path, below: prefix + name + "/", depth: depth - 1, into: &files)
            }
        }
    }

    private static func contentType(of name: String) -> String? {
        guard let dot = name.lastIndex(of: ".") else { return nil }
        return contentTypes[String(name[name.index(after: dot)...])]
    }

    /// The bytes of a file; nil if it cannot be read, or is too large to be one of these.
    private static func read(_ path: String) -> [UInt8]? {
        guard let file = fopen(path, "re") else { return nil }
        defer { fclose(file) }
        var bytes: [UInt8] = []
        var piece = [UInt8](repeating: 0, count: 65_536)
        while true {
            let count = fread(&piece, 1, piece.count, file)
            guard count > 0 else { return ferror(file) == 0 ? bytes : nil }
            bytes += piece.prefix(count)
            guard bytes.count <= size else { return nil }
        }
    }
}
