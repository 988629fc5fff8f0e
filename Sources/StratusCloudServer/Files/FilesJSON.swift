import StratusCloudModel
import StratusCloudService

/// Items as the page of files reads them.
extension ConsoleJSON {
    /// An item of a list.
    init(_ item: FileItem) { self = .object(Self.members(of: item)) }

    /// An item with its former contents.
    init(detailed item: FileItem) {
        let versions = item.versions.map { version in
            ConsoleJSON.object([
                ("number", .integer(version.number)), ("size", .integer(version.content.size)),
                ("modified", .integer(version.modified)), ("expires", .integer(version.expires)),
                ("isConflict", .boolean(version.isConflict)), ("device", ConsoleJSON(version.device)),
            ])
        }
        self = .object(Self.members(of: item) + [("versions", .array(versions))])
    }

    static func members(of item: FileItem) -> [(String, ConsoleJSON)] {
        var members: [(String, ConsoleJSON)] = [
            ("id", .string(item.id)), ("name", .string(item.name)), ("kind", .string(item.kind.rawValue)),
            ("size", .integer(item.size)), ("modified", .integer(item.modified)),
            ("version", .integer(item.contentVersion)),
        ]
        if let target = item.target { members.append(("target", .string(target))) }
        if let deleted = item.deleted {
            members += [
                ("deleted", .integer(deleted)), ("expires", .integer(deleted + FileLimits.recentlyDeletedLifetime)),
            ]
        }
        if item.share != nil { members.append(("isShared", .boolean(true))) }
        if FilesPicture.type(of: item.name) != nil { members.append(("isPicture", .boolean(true))) }
        return members
    }
}

/// Pictures that the page shows. Vector graphics are left out because they can contain scripts.
enum FilesPicture {
    private static let types = [
        "png": "image/png", "jpg": "image/jpeg", "jpeg": "image/jpeg", "gif": "image/gif", "webp": "image/webp",
        "avif": "image/avif", "bmp": "image/bmp", "ico": "image/x-icon",
    ]

    /// The media type of a picture by its name; nil for everything else.
    static func type(of name: String) -> String? {
        guard let dot = name.lastIndex(of: "."), dot != name.startIndex else { return nil }
        return types[name[name.index(after: dot)...].lowercased()]
    }
}
