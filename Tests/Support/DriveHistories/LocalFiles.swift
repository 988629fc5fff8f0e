import Foundation
import Glibc

/// Files as the system has them, whose names are bytes.
enum LocalFiles {
    static func status(_ path: String) -> stat? {
        var status = stat()
        return lstat(path, &status) == 0 ? status : nil
    }

    static func exists(_ path: String) -> Bool { status(path) != nil }

    static func isFile(_ path: String) -> Bool { status(path)?.st_mode.masked == S_IFREG }

    static func isFolder(_ path: String) -> Bool { status(path)?.st_mode.masked == S_IFDIR }

    static func text(_ path: String) -> String? {
        FileManager.default.contents(atPath: path).map { String(decoding: $0, as: UTF8.self) }
    }

    /// The names in a directory, in the order of their bytes.
    static func names(_ path: String) -> [String] {
        guard let directory = opendir(path) else { return [] }
        defer { closedir(directory) }
        var names: [String] = []
        while let entry = readdir(directory) {
            let name = withUnsafePointer(to: &entry.pointee.d_name) {
                $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
            }
            if name != ".", name != ".." { names.append(name) }
        }
        return names.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
    }

    static func remove(_ path: String) {
        if isFolder(path) {
            for name in names(path) { remove(path + "/" + name) }
            rmdir(path)
        } else {
            unlink(path)
        }
    }

    static func folder(of path: String) -> String { String(decoding: split(path).folder, as: UTF8.self) }

    /// The path of the placeholder of an item.
    static func placeholder(of path: String) -> String {
        let (folder, name) = split(path)
        return String(decoding: folder, as: UTF8.self) + "/." + String(decoding: name, as: UTF8.self) + ".icloud"
    }

    private static func split(_ path: String) -> (folder: Substring.UTF8View, name: Substring.UTF8View) {
        let end = path.utf8.lastIndex(of: UInt8(ascii: "/")) ?? path.startIndex
        return (path[..<end].utf8, path[path.utf8.index(after: end)...].utf8)
    }
}

extension mode_t {
    fileprivate var masked: mode_t { self & S_IFMT }
}
