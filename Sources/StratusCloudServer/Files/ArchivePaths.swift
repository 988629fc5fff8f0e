import StratusCloudModel
import StratusCloudService

/// Paths in an archive that are safe wherever it is unpacked.
///
/// A backslash separates folders on Windows and a colon follows the name of a drive there, so neither is kept. Two items
/// whose paths are one then get numbers.
struct ArchivePaths {
    private var taken: Set<String> = []
    /// The names of folders in the archive, by their original paths.
    private var folders: [[String]: String] = [:]

    /// Returns the path of an item, whose folder came before.
    mutating func path(of names: [String], isFolder: Bool) throws(CloudError) -> String {
        let folder = folders[Array(names.dropLast())].map { $0 + "/" } ?? ""
        let safe = String((names.last ?? "").map { $0 == "\\" || $0 == ":" ? "_" : $0 })
        var path = folder + safe
        var number = 1
        while !taken.insert(try FileNameKey.key(path)).inserted {
            number += 1
            path = folder + FileName.numbered(safe, number)
        }
        if isFolder { folders[names] = path }
        return path
    }
}
