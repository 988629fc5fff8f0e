import StratusCloudModel

/// The contents of a file: the current one and those that are kept beside it.
///
/// A content that was not made from the current one is in conflict with it. The one that was changed later, as the
/// devices say, becomes or stays the current one, and the other is kept until somebody resolves the conflict.
struct FileHistory {
    private(set) var content: Asset?
    /// The number of the current content.
    private(set) var number: Int64
    /// The device that wrote the current content.
    private(set) var device: String?
    /// The latest first.
    private(set) var versions: [FileItem.Version]
    /// Whether the current content is another than before.
    private(set) var isChanged = false
    /// Whether the content that was sent is older than the current one, and so was kept beside it.
    private(set) var isOlder = false
    private let modified: Int64
    private let now: Int64

    /// The contents as they are stored; none for a new file.
    init(_ stored: FieldMap, now: Int64) {
        content = stored.asset(FileFormat.content)
        number = stored.integer(FileFormat.contentVersion) ?? 0
        device = stored.string(FileFormat.device)
        modified = stored.time(FileFormat.modified) ?? now
        versions = stored.fileVersions.filter { $0.isConflict || $0.expires > now }
        self.now = now
    }

    /// Gives up former contents, and resolves conflicts, as the client wants.
    /// - Parameter fields: Those of the record, with what the client sends.
    mutating func clear(as input: RecordInput, _ fields: FieldMap) {
        for (name, field) in input.fields {
            if name == FileFormat.versions, field.value.isNull { versions = [] }
            guard name == FileFormat.conflicts else { continue }
            let kept = Set(fields.list(FileFormat.conflicts))
            for index in versions.indices
            where versions[index].isConflict && !kept.contains(.int64(versions[index].number)) {
                versions[index].isConflict = false
                // Its time as a former content begins now, however long it was in conflict.
                versions[index].expires = now + FileLimits.versionLifetime
            }
        }
    }

    /// Takes the content that a client sends.
    /// - Parameter fields: Those of the record, with what the client sends.
    mutating func take(as input: RecordInput, _ fields: FieldMap) {
        let sent = fields.asset(FileFormat.content)
        guard sent?.fileChecksum != content?.fileChecksum else { return }
        let sentModified = fields.time(FileFormat.modified) ?? now
        let namesDevice = input.fields.contains { $0.name == FileFormat.device }
        let sentDevice = namesDevice ? fields.string(FileFormat.device) : nil
        let isConflict = fields.integer(FileFormat.base).map { $0 != number } ?? false
        let next = max(number, versions.map(\.number).max() ?? 0) + 1
        if isConflict, content != nil, sentModified < modified {
            isOlder = true
            keep(sent, next, sentModified, sentDevice, isConflict: true)
        } else {
            isChanged = true
            // The client went back to it.
            versions.removeAll { $0.content.fileChecksum == sent?.fileChecksum }
            keep(content, number, modified, device, isConflict: isConflict)
            (content, number, device) = (sent, next, sentDevice)
        }
        let former = versions.filter { !$0.isConflict }.dropFirst(FileLimits.versionsPerFile)
        let surplus = Set(former.map(\.number))
        versions.removeAll { surplus.contains($0.number) }
    }

    private mutating func keep(
        _ asset: Asset?, _ number: Int64, _ modified: Int64, _ device: String?, isConflict: Bool
    ) {
        guard let asset else { return }
        if let known = versions.firstIndex(where: { $0.content.fileChecksum == asset.fileChecksum }) {
            if isConflict { versions[known].isConflict = true }
            return
        }
        versions.insert(
            FileItem.Version(
                content: asset, number: number, modified: modified, expires: now + FileLimits.versionLifetime,
                device: device, isConflict: isConflict), at: 0)
    }

    /// - Throws: `badRequest` for more conflicts than a file may have.
    func check() throws(CloudError) {
        let conflicts = versions.count { $0.isConflict }
        guard conflicts <= FileLimits.conflictsPerFile else {
            throw CloudError(
                .badRequest,
                "the file would have \(conflicts) contents in conflict, which is more than the maximum of "
                    + "\(FileLimits.conflictsPerFile)")
        }
        guard device?.utf8.count ?? 0 <= FileLimits.deviceNameSize else {
            throw CloudError(
                .badRequest,
                "field '\(FileFormat.device)' has more than the maximum of \(FileLimits.deviceNameSize) bytes")
        }
    }
}
