import Foundation
import StratusModelFiles

/// A keyed archive as it is in its file. No class of it is ever made.
struct KeyedArchive {
    private let list: BinaryPropertyList
    /// The nodes of the archive's objects, by number.
    private let objects: [Int]
    private let file: String

    init(_ bytes: [UInt8], file: String) throws(ModelFileError) {
        self.file = file
        let list: BinaryPropertyList
        do throws(BinaryPropertyList.Failure) {
            list = try BinaryPropertyList(bytes)
        } catch {
            throw ModelFileError(file: file, reason: "is not a binary property list")
        }
        guard let objects = Self.members(of: list.root, list)?["$objects"], case .list(let nodes) = list.nodes[objects]
        else { throw ModelFileError(file: file, reason: "is not a keyed archive") }
        (self.list, self.objects) = (list, nodes)
    }

    /// The object that the archive is of.
    func root() throws(ModelFileError) -> ArchivedObject {
        guard let object = try rootElement().object else {
            throw ModelFileError(file: file, reason: "is an archive of a plain value")
        }
        return object
    }

    /// The object that the archive is of, which may be a plain value.
    func rootElement() throws(ModelFileError) -> ArchivedElement {
        guard let top = Self.members(of: list.root, list)?["$top"], let node = Self.members(of: top, list)?["root"]
        else {
            throw ModelFileError(file: file, reason: "is an archive without a root")
        }
        return ArchivedElement(archive: self, node: node)
    }

    /// Everything in the archive that is not a plain value, also what the root does not lead to.
    var allObjects: [ArchivedObject] { objects.compactMap { object($0) } }

    private static func members(of node: Int, _ list: BinaryPropertyList) -> [String: Int]? {
        guard case .dictionary(let pairs) = list.nodes[node] else { return nil }
        var members: [String: Int] = [:]
        for pair in pairs { if case .string(let key) = list.nodes[pair.key] { members[key] = pair.value } }
        return members
    }

    /// Returns the node that a node stands for: that of an object, if it is a UID.
    private func resolved(_ node: Int) -> Int? {
        guard case .uid(let number) = list.nodes[node] else { return node }
        return objects.indices.contains(number) ? objects[number] : nil
    }

    fileprivate func object(_ node: Int) -> ArchivedObject? {
        guard let node = resolved(node), let members = Self.members(of: node, list) else { return nil }
        return ArchivedObject(archive: self, node: node, members: members)
    }

    /// Returns a plain value; nil for `$null`, which stands for nil.
    fileprivate func value(_ node: Int) -> PropertyListNode? {
        guard let node = resolved(node) else { return nil }
        return list.nodes[node] == .string("$null") ? nil : list.nodes[node]
    }

    fileprivate func isReference(_ node: Int) -> Bool {
        if case .uid = list.nodes[node] { true } else { false }
    }

    fileprivate func list(_ node: Int) -> [Int]? {
        guard let node = resolved(node), case .list(let members) = list.nodes[node] else { return nil }
        return members
    }
}

/// An object of an archive.
struct ArchivedObject {
    fileprivate let archive: KeyedArchive
    /// The identity of the object in its archive.
    let node: Int
    fileprivate let members: [String: Int]

    var className: String {
        let name = members["$class"].flatMap { archive.object($0)?.members["$classname"] }
        guard let name, case .string(let text)? = archive.value(name) else { return "" }
        return text
    }

    func value(_ key: String) -> PropertyListNode? { members[key].flatMap { archive.value($0) } }

    func object(_ key: String) -> ArchivedObject? { members[key].flatMap { archive.object($0) } }

    func text(_ key: String) -> String? {
        if case .string(let text)? = value(key), !text.isEmpty { return text }
        return nil
    }

    func data(_ key: String) -> Data? {
        if case .data(let bytes)? = value(key) { return Data(bytes) }
        return nil
    }

    func flag(_ key: String) -> Bool {
        switch value(key) {
        case .boolean(let flag)?: flag
        case .integer(let number)?: number != 0
        default: false
        }
    }

    func number(_ key: String) -> Int {
        if case .integer(let number)? = value(key) { return Int(number) }
        return 0
    }

    /// The members of an archived array or set under a key.
    func elements(_ key: String) -> [ArchivedElement] { object(key)?.elements ?? [] }

    /// The members of this archived array or set.
    var elements: [ArchivedElement] { elementNodes("NS.objects").map { ArchivedElement(archive: archive, node: $0) } }

    /// The keys of this archived dictionary.
    var keys: [ArchivedElement] { elementNodes("NS.keys").map { ArchivedElement(archive: archive, node: $0) } }

    /// The members of an archived dictionary under a key, in the order of their names.
    func entries(_ key: String) -> [(key: String, value: ArchivedElement)] {
        guard let dictionary = object(key) else { return [] }
        let named = zip(dictionary.entryKeys, dictionary.entryValues).compactMap {
            key, value -> (key: String, value: ArchivedElement)? in
            guard let name = key.text, value.text != Self.emptyEntry else { return nil }
            return (name, value)
        }
        return named.sorted { $0.key < $1.key }
    }

    /// The value of a key without one, in the dictionaries of models that stores contain.
    private static let emptyEntry = "__empty_slot_token_4c24_98dc_ac1e_b773__"

    /// Whether the keys and values of this archived dictionary are arrays of their own.
    private var hasKnownKeys: Bool { className.hasPrefix("NSKnownKeysDictionary") }

    private var entryKeys: [ArchivedElement] {
        hasKnownKeys ? object("searchMapping")?.elements("keys") ?? [] : keys
    }

    private var entryValues: [ArchivedElement] { hasKnownKeys ? self.elements("values") : elements }

    /// The attributes among the members of the object's collections: those of a composite attribute.
    var attributes: [ArchivedObject] {
        members.values.sorted().compactMap { archive.object($0) }.filter { $0.className.hasSuffix("Array") }
            .flatMap { $0.elements.compactMap(\.object) }.filter { $0.className.hasSuffix("AttributeDescription") }
    }

    private func elementNodes(_ key: String) -> [Int] { members[key].flatMap { archive.list($0) } ?? [] }
}

/// A member of an archived collection.
struct ArchivedElement {
    fileprivate let archive: KeyedArchive
    fileprivate let node: Int

    var object: ArchivedObject? { archive.object(node) }
    var value: PropertyListNode? { archive.value(node) }
    /// Whether the element refers to an object of the archive, as Foundation writes all of them.
    var isReference: Bool { archive.isReference(node) }

    var text: String? {
        if case .string(let text)? = value { return text }
        return nil
    }
}
