import StratusCloudModel

/// A folder: the root folder or an item.
public enum FileFolder: Hashable, Sendable {
    case root
    /// By the name of its record.
    case item(String)

    /// The name of its record; nil for the root folder.
    public var recordName: String? {
        switch self {
        case .root: nil
        case .item(let name): name
        }
    }
}

/// What a path leads to.
public enum FilePlace: Hashable, Sendable {
    case root
    /// An item, in a folder.
    case item(FileItem, in: FileFolder)
    /// There is no item of this name in the folder.
    case free(name: String, in: FileFolder)
    /// A folder on the way does not exist.
    case nowhere

    /// The item; nil for the root folder and where there is none.
    public var item: FileItem? { if case .item(let item, _) = self { item } else { nil } }

    /// The place as a folder; nil if it is none.
    public var folder: FileFolder? {
        switch self {
        case .root: .root
        case .item(let item, _): item.kind == .folder ? .item(item.id) : nil
        case .free, .nowhere: nil
        }
    }
}

/// Items of a folder, in the order of ``FileNameKey``.
public struct FilePage: Sendable {
    /// The items of the page.
    public var items: [FileItem]
    /// Where the next page begins; nil at the end.
    public var next: FileCursor?
}

/// A position in a list of items.
public struct FileCursor: Hashable, Sendable {
    let key: [UInt8]
}
