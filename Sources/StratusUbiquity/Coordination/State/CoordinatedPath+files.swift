import Foundation
import Glibc

extension CoordinatedPath {
    /// The path without symbolic links in the directories above the item, so that two ways to one item are one path.
    /// The item need not exist.
    /// - Parameter followingLast: Whether the item itself is followed, if it is a link.
    static func canonical(_ url: URL, followingLast: Bool = false) -> String {
        let path = url.standardizedFileURL.path
        if followingLast, let real = real(path) { return real }
        var directory = path[...]
        var rest = ""
        while let slash = directory.lastIndex(of: "/") {
            rest = String(directory[slash...]) + rest
            directory = directory[..<slash]
            if directory.isEmpty { break }
            if let real = real(String(directory)) { return real + rest }
        }
        return rest
    }

    private static func real(_ path: String) -> String? {
        guard let resolved = realpath(path, nil) else { return nil }
        defer { free(resolved) }
        return String(cString: resolved)
    }

    /// The outermost package that a path lies in, which is one item to the user; otherwise the path itself.
    static func unit(of path: String) -> String {
        var end = path.startIndex
        while let slash = path[end...].dropFirst().firstIndex(of: "/") {
            let directory = String(path[..<slash])
            if FilePackage.isPackage(directory) { return directory }
            end = slash
        }
        return path
    }
}
