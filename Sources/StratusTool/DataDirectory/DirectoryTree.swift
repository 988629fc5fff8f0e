import Glibc

/// Directories with everything in them.
enum DirectoryTree {
    /// The names in a directory.
    static func names(in path: String) throws(ToolError) -> [String] {
        guard let stream = opendir(path) else {
            throw ToolError("cannot list \(path): \(DataDirectory.systemMessage())")
        }
        defer { closedir(stream) }
        var names: [String] = []
        while let entry = readdir(stream) {
            let name = withUnsafeBytes(of: &entry.pointee.d_name) {
                String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self)
            }
            if name != ".", name != ".." { names.append(name) }
        }
        return names
    }

    /// Removes a directory; links in it are removed, not followed.
    static func remove(_ path: String) {
        var status = stat()
        guard lstat(path, &status) == 0 else { return }
        guard status.st_mode & S_IFMT == S_IFDIR else {
            unlink(path)
            return
        }
        // What cannot be listed cannot be removed, either, and is in the way of the next attempt, which says so.
        for name in (try? names(in: path)) ?? [] { remove("\(path)/\(name)") }
        rmdir(path)
    }
}
