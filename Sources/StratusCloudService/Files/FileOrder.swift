import StratusCloudModel

/// The orders in which a folder is listed.
public enum FileOrder: String, Sendable, CaseIterable {
    case name
    case size
    case modified

    /// The value that is compared before the names.
    fileprivate func value(of item: FileItem) -> Int64 {
        switch self {
        case .name: 0
        case .size: item.size
        case .modified: item.modified
        }
    }
}

/// An order with its direction.
public struct FileSorting: Hashable, Sendable {
    /// The attribute that items are sorted by.
    public var order: FileOrder
    /// Whether the greatest is the first.
    public var isDescending: Bool

    /// Makes a sorting.
    public init(_ order: FileOrder = .name, isDescending: Bool = false) {
        self.order = order
        self.isDescending = isDescending
    }
}

/// The last item of a page, which the next page follows. It need not exist any more.
public struct FilePosition: Hashable, Sendable {
    /// Its name.
    public var name: String
    /// Its size or date, where that is what is compared.
    public var value: Int64

    /// Makes a position.
    public init(name: String, value: Int64 = 0) {
        self.name = name
        self.value = value
    }
}

/// An attribute that items are sorted by.
struct FileRank: Comparable {
    let value: Int64
    let key: [UInt8]

    init(_ item: FileItem, _ order: FileOrder) throws(CloudError) {
        value = order.value(of: item)
        key = Array(try FileNameKey.key(item.name).utf8)
    }

    init(_ position: FilePosition) throws(CloudError) {
        value = position.value
        key = Array(try FileNameKey.key(position.name).utf8)
    }

    static func < (left: FileRank, right: FileRank) -> Bool {
        left.value != right.value ? left.value < right.value : left.key.lexicographicallyPrecedes(right.key)
    }
}
