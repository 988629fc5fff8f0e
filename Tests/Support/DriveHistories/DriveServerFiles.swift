import Foundation
import StratusCloudCrypto
import StratusCloudKit
import StratusCloudModel
import StratusTesting
import StratusUbiquity

/// The files that a server has.
struct DriveServerFiles {
    /// Items that are not deleted: path, kind, and what tells contents apart.
    private(set) var lines: [String] = []
    /// Contents in packages.
    private var texts: Set<String> = []
    /// Checksums of contents: current ones, also of deleted items, and former ones.
    private var (current, former): (Set<String>, Set<String>) = ([], [])

    init(_ cloud: LocalCloud, _ device: LocalCloud.Device, _ directory: String) async throws {
        let zone = CKRecordZone.ID(zoneName: FileFormat.zoneName)
        // Nobody has put anything there.
        guard try await cloud.zones(of: cloud.account("ada")).contains(zone) else { return }
        let records = try await cloud.records(in: zone, of: cloud.account("ada"))
        let byName = Dictionary(records.map { ($0.recordID.recordName, $0) }) { first, _ in first }
        for record in records {
            let versions = record[FileFormat.versions] as? [CKAsset] ?? []
            former.formUnion(versions.compactMap { $0.serverDescription?.checksum })
            if let content = record[FileFormat.content] as? CKAsset, let asset = content.serverDescription {
                current.insert(asset.checksum)
            }
            if let line = Self.line(record, byName) { lines.append(line) }
        }
        lines.sort { $0.utf8.lexicographicallyPrecedes($1.utf8) }
        let packages = records.filter { $0[FileFormat.kind] as? String == FileKind.package.rawValue }
        try await unpack(packages.map(\.recordID.recordName), device, directory)
    }

    /// Whether the server keeps a content.
    func has(_ text: String, withVersions: Bool) -> Bool {
        let checksum = Self.checksum(text)
        return texts.contains(text) || current.contains(checksum) || withVersions && former.contains(checksum)
    }

    private static func checksum(_ text: String) -> String {
        AssetChecksum.string(sha256: SHA256.hash(Array(text.utf8)))
    }

    /// nil for an item that is deleted, alone or with a folder around it.
    private static func line(_ record: CKRecord, _ records: [String: CKRecord]) -> String? {
        guard let file = FileRecord(record), record[FileFormat.deleted] == nil else { return nil }
        var path = file.name.escaped
        var next = file.folder
        while let folder = next {
            guard let record = records[folder], record[FileFormat.deleted] == nil, let file = FileRecord(record) else {
                return nil
            }
            path = file.name.escaped + "/" + path
            next = file.folder
        }
        return switch file.kind {
        case .file: "\(path)\(file.isExecutable ? "*" : "") = \(file.checksum ?? checksum(""))"
        case .folder, .package: path + "/"
        case .link: "\(path) -> \(file.target ?? "?")"
        }
    }

    /// The same lines, of a directory.
    static func lines(of directory: String, _ prefix: String = "") -> [String] {
        var lines: [String] = []
        for name in LocalFiles.names(directory) where !prefix.isEmpty || name != ".stratus" {
            let (path, shown) = (directory + "/" + name, prefix + name.escaped)
            guard let status = LocalFiles.status(path) else { continue }
            if LocalFiles.isFolder(path) {
                lines.append(shown + "/")
                if !name.hasSuffix(".rtfd") { lines += Self.lines(of: path, shown + "/") }
            } else if LocalFiles.isFile(path) {
                let mark = status.st_mode & 0o100 != 0 ? "*" : ""
                lines.append("\(shown)\(mark) = \(checksum(LocalFiles.text(path) ?? ""))")
            } else {
                lines.append("\(shown) -> \((try? FileManager.default.destinationOfSymbolicLink(atPath: path)) ?? "?")")
            }
        }
        return prefix.isEmpty ? lines.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) } : lines
    }

    private mutating func unpack(_ names: [String], _ device: LocalCloud.Device, _ directory: String) async throws {
        guard !names.isEmpty else { return }
        let zone = CKRecordZone.ID(zoneName: FileFormat.zoneName)
        let ids = names.map { CKRecord.ID(recordName: $0, zoneID: zone) }
        for (_, result) in try await device.container.privateCloudDatabase.records(for: ids) {
            let record = try result.get()
            let current = [record[FileFormat.content] as? CKAsset].compactMap { $0 }
            for asset in current + (record[FileFormat.versions] as? [CKAsset] ?? []) {
                guard let url = asset.fileURL else { continue }
                try unpack(url, directory + "/unpacked")
                try FileManager.default.removeItem(at: url)
            }
        }
    }

    private mutating func unpack(_ url: URL, _ package: String) throws {
        try ZipReader(path: url.path).unpack(to: package)
        collect(package)
        LocalFiles.remove(package)
    }

    private mutating func collect(_ directory: String) {
        for name in LocalFiles.names(directory) {
            let path = directory + "/" + name
            if LocalFiles.isFolder(path) {
                collect(path)
            } else if LocalFiles.isFile(path), let text = LocalFiles.text(path) {
                texts.insert(text)
            }
        }
    }
}
