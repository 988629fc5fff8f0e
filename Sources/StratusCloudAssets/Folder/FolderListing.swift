import Glibc

extension FolderAssets {
    /// Calls `body` with the path of each file in a folder of assets, from the folder on, in ascending order. Files that
    /// come and go meanwhile may be among them or not. Blocks.
    public static func forEachFile(
        in directory: String, _ body: (_ path: String) throws -> Void
    ) throws {
        for owner in try names(in: directory) {
            for part in try names(in: "\(directory)/\(owner)") {
                for file in try names(in: "\(directory)/\(owner)/\(part)") { try body("\(owner)/\(part)/\(file)") }
            }
        }
    }

    /// The names in a directory, sorted; none if it is not there.
    private static func names(in directory: String) throws(AssetStoreError) -> [String] {
        guard let stream = opendir(directory) else {
            if errno == ENOENT { return [] }
            throw AssetStoreError(system: errno, while: "listing \(directory)")
        }
        defer { closedir(stream) }
        var names: [String] = []
        while let entry = readdir(stream) {
            let name = withUnsafeBytes(of: &entry.pointee.d_name) {
                String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self)
            }
            if !name.hasPrefix(".") { names.append(name) }
        }
        return names.sorted()
    }
}
