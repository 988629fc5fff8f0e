import Foundation

/// The program and context that a save comes from, which the history keeps with it.
struct SaveOrigin: Hashable, Sendable {
    /// The context's `transactionAuthor`.
    var author: String?
    /// The context's `name`.
    var contextName: String?
    var bundleIdentifier: String?
    /// The name of the process.
    var process: String?
}

/// A save in the history of a store.
struct StoredTransaction: Hashable, Sendable {
    /// Numbers rise with time and are never given again.
    let number: Int64
    let date: Date
    let origin: SaveOrigin
    var changes: [StoredChange] = []
}

/// A change of one row in the history of a store.
struct StoredChange: Hashable, Sendable {
    /// The kinds of changes, with the numbers that files have.
    enum Kind: Int64, Sendable {
        case insert, update, delete
    }

    /// The number of the change in the store; 0 if it is not in the history yet.
    var number: Int64 = 0
    let key: RowKey
    let kind: Kind
    /// The names of the properties that an update changed; nil for other changes, and if the file has other properties.
    var updated: Set<String>?
    /// Values of a deleted row, of attributes that the model preserves.
    var tombstone: [String: StoredValue] = [:]
}

/// The properties of an entity that its changes in the history refer to.
struct HistoryProperties: Hashable, Sendable {
    /// The names of all properties that are not transient, in order: each is a bit of `ZCOLUMNS`.
    var names: [String] = []
    /// The names of the attributes whose values a deletion preserves, in order: each has a column `ZTOMBSTONE…`.
    var preserved: [String] = []

    /// Returns the bits of changed properties, the first property in the highest bit of the first byte.
    func bits(_ changed: Set<String>) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: (names.count + 7) / 8)
        for (index, name) in names.enumerated() where changed.contains(name) { bytes[index / 8] |= 0x80 >> (index % 8) }
        return bytes
    }

    /// Returns the names of changed properties; nil if a bit stands for none of them.
    func changed(_ bits: [UInt8]) -> Set<String>? {
        var changed: Set<String> = []
        for index in 0..<bits.count * 8 where bits[index / 8] & 0x80 >> (index % 8) != 0 {
            guard names.indices.contains(index) else { return nil }
            changed.insert(names[index])
        }
        return changed
    }
}

extension HistoryProperties {
    init(_ entity: NSEntityDescription) {
        let properties = entity.properties.filter { !$0.isTransient && !($0 is NSFetchedPropertyDescription) }
        names = properties.map(\.name).sorted()
        preserved = properties.compactMap { property in
            guard let attribute = property as? NSAttributeDescription, !(attribute is NSCompositeAttributeDescription)
            else { return nil }
            return attribute.preservesValueInHistoryOnDeletion ? attribute.name : nil
        }.sorted()
    }
}
