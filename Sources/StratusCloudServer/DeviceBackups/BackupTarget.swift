import StratusCloudService

/// What a path below `/backup/` names, by restic's REST protocol.
enum BackupTarget: Hashable, Sendable {
    /// `/backup/<device>/`
    case repository(BackupDevice)
    /// `/backup/<device>/<kind>/`
    case folder(BackupFileKind, BackupDevice)
    /// `/backup/<device>/config` and `/backup/<device>/<kind>/<name>`
    case file(BackupFile, BackupDevice)

    /// - Parameter segments: what stands between the slashes behind `/backup`, decoded.
    init?(_ segments: ArraySlice<String>) {
        guard let first = segments.first, let device = BackupDevice(first) else { return nil }
        let rest = Array(segments.dropFirst())
        switch rest.count {
        case 0: self = .repository(device)
        case 1 where rest[0] == BackupFileKind.config.rawValue: self = .file(.config, device)
        case 1:
            guard let kind = BackupFileKind(rawValue: rest[0]) else { return nil }
            self = .folder(kind, device)
        case 2:
            guard let kind = BackupFileKind(rawValue: rest[0]), let file = BackupFile(kind, name: rest[1]) else {
                return nil
            }
            self = .file(file, device)
        default: return nil
        }
    }

    /// The methods that it answers.
    var methods: [String] {
        switch self {
        case .repository: ["POST"]
        case .folder: ["GET", "HEAD"]
        case .file: ["GET", "HEAD", "POST", "DELETE"]
        }
    }

    /// Bytes of a body that are stored as they come; nil where none are.
    func uploadLimit(of method: String) -> Int64? {
        guard case .file(let file, _) = self, method == "POST" else { return nil }
        return file.kind.sizeLimit
    }
}
