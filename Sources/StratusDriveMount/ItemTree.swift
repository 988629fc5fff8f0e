import StratusCloudModel
import StratusCloudService

/// All items, by folder and name. Names are compared as the server compares them.
struct ItemTree: Sendable {
    private(set) var items: [String: MountedItem] = [:]
    /// By the folder's identifier, then by what names are compared by. The folder itself may not be known yet, or be in
    /// Recently Deleted, from where it comes back with what is in it.
    private var children: [String: [String: String]] = [:]
    /// The identifiers of items with changes that the server does not have yet.
    private(set) var pending: Set<String> = []
    /// The number of items with an unsent content, by the name of its file.
    private var unsent: [String: Int] = [:]

    static func key(_ name: String) -> String {
        // Without the Unicode library, names that differ only in their form are two.
        let key = (try? FileNameKey.key(name)) ?? name
        return key == name ? name : key
    }

    func child(_ name: String, of folder: String) -> MountedItem? {
        children[folder]?[Self.key(name)].flatMap { items[$0] }
    }

    func children(of folder: String) -> [MountedItem] {
        (children[folder] ?? [:]).values.compactMap { items[$0] }
    }

    func count(of folder: String) -> Int { children[folder]?.count ?? 0 }

    /// The number of folders around an item in this folder.
    func depth(of folder: String) -> Int {
        var (depth, next) = (0, folder)
        while next != MountedItem.root, depth <= FileLimits.folderDepth, let item = items[next] {
            depth += 1
            next = item.folder
        }
        return depth
    }

    /// Puts an item in its place, or takes it out of the one it had.
    mutating func put(_ item: MountedItem) {
        take(item.id)
        var item = item
        // The same text for all items of a folder, which are many.
        if let index = children.index(forKey: item.folder) { item.folder = children.keys[index] }
        items[item.id] = item
        if item.isShown { children[item.folder, default: [:]][Self.key(item.name)] = item.id }
        if !item.pending.isEmpty { pending.insert(item.id) }
        if let unsent = item.unsent { self.unsent[unsent, default: 0] += 1 }
    }

    @discardableResult
    mutating func remove(_ id: String) -> MountedItem? {
        take(id)
        return items.removeValue(forKey: id)
    }

    /// Whether an unsent content belongs to an item.
    func hasUnsent(_ name: String) -> Bool { unsent[name] != nil }

    /// A name that is free in a folder: that of the item, or with a number.
    func freeName(for item: MountedItem) -> String {
        var name = item.name
        for number in 2..<(2 + FileLimits.numbersTried) {
            guard let other = child(name, of: item.folder), other.id != item.id else { return name }
            name = FileName.numbered(item.name, number)
        }
        return name
    }

    private mutating func take(_ id: String) {
        guard let former = items[id] else { return }
        pending.remove(id)
        if let name = former.unsent, let count = unsent[name] { unsent[name] = count > 1 ? count - 1 : nil }
        let key = Self.key(former.name)
        guard children[former.folder]?[key] == id else { return }
        children[former.folder]?[key] = nil
        if children[former.folder]?.isEmpty ?? false { children[former.folder] = nil }
    }
}
