import Foundation
import Glibc

/// `.stratusignore` in a container: names of files and folders that are not synchronized, one a line.
enum DriveIgnoreFile {
    static let name = ".stratusignore"

    /// Whether a place is that of the file.
    static func isOne(_ place: DrivePlace?) -> Bool { place == DrivePlace(folder: "", name: name) }

    /// The names in the file of a container; nil if it has no file.
    static func names(in root: DriveDirectory) throws -> [String]? { try read(in: root).map(names) }

    /// The bytes of the file; nil if there is none.
    private static func read(in root: DriveDirectory) throws -> Data? {
        guard let status = try root.status(name), status.kind == .file else { return nil }
        guard status.st_size <= DriveLimits.ignoreFile else {
            throw DriveFailure.ignoreFile("it has more than \(DriveLimits.ignoreFile) bytes")
        }
        let descriptor = openat(root.descriptor, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
        guard descriptor >= 0 else { throw DriveFailure.system(errno, name) }
        let file = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
        return try file.read(upToCount: DriveLimits.ignoreFile) ?? Data()
    }

    /// The names in the file, in which `*` stands for any characters and `?` for one byte.
    private static func names(in data: Data) throws -> [String] {
        guard let text = String(data: data, encoding: .utf8) else { throw DriveFailure.ignoreFile("it is not UTF-8") }
        var names: [String] = []
        for (number, line) in text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
            .enumerated()
        {
            var name = line.trimmingCharacters(in: .whitespaces)
            if name.isEmpty || name.hasPrefix("#") { continue }
            // As it is usual for a folder.
            if name.hasSuffix("/") { name.removeLast() }
            guard !name.isEmpty, !name.contains("/") else {
                throw DriveFailure.ignoreFile("line \(number + 1) is a path; only names can be ignored")
            }
            guard name.utf8.count <= Int(NAME_MAX) else {
                throw DriveFailure.ignoreFile("line \(number + 1) has more than \(NAME_MAX) bytes")
            }
            names.append(name)
        }
        guard names.count <= DriveLimits.ignoredNames else {
            throw DriveFailure.ignoreFile("it has more than \(DriveLimits.ignoredNames) names")
        }
        return names
    }
}
