import StratusCloudModel
import StratusCloudService
import StratusHTTPTransport

/// Files and folders as one zip archive, written while they are read.
struct FilesArchive: Sendable {
    let service: CloudService
    var owner = FileOwner.caller
    let caller: Caller
    let items: [FileItem]

    /// Counts what will be in it.
    /// - Throws: `badRequest` for more than ``FileLimits/itemsPerArchive`` items.
    func check() async throws {
        try await service.forEachFile(of: items, of: owner, as: caller) { _, _ in }
    }

    /// The name of the file that it is saved as.
    var name: String { (items.count == 1 ? items[0].name : "Files") + ".zip" }

    /// Writes the archive.
    func write(to writer: HTTPBodyWriter) async throws {
        let zip = try ZipStream()
        var paths = ArchivePaths()
        try await service.forEachFile(of: items, of: owner, as: caller) { item, names in
            let isFolder = item.kind == .folder
            let path = try paths.path(of: names, isFolder: isFolder)
            try await writer.write(
                zip.begin(
                    ZipStream.Entry(
                        path: isFolder ? path + "/" : path, mode: Self.mode(of: item), modified: item.modified,
                        size: item.size)))
            if let target = item.target {
                // As what it is, and never what it points to.
                try await put(Array(target.utf8), zip, to: writer)
            } else if item.content != nil {
                let download = try await service.downloadFile(item, of: owner, as: caller)
                try await service.forEachPiece(of: download) { try await put($0, zip, to: writer) }
            }
            try await writer.write(try zip.end())
        }
        try await zip.finish { try await writer.write($0) }
    }

    private func put(_ bytes: [UInt8], _ zip: ZipStream, to writer: HTTPBodyWriter) async throws {
        service.charge(RequestCost(bytes: bytes.count), to: caller)
        let compressed = try zip.add(bytes)
        if !compressed.isEmpty { try await writer.write(compressed) }
    }

    private static func mode(of item: FileItem) -> UInt32 {
        switch item.kind {
        case .folder: 0o040755
        case .link: 0o120777
        case .file, .package: item.isExecutable ? 0o100755 : 0o100644
        }
    }
}
