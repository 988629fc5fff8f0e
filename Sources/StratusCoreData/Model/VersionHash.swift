import Foundation
import StratusCloudCrypto

/// The facts of an entity or a property that a store depends on, and their hash.
///
/// A fact is written with its kind and length, so that different facts never give the same bytes. The hash is the same
/// in each process and on each machine.
struct VersionHash {
    private var facts: [UInt8] = []

    mutating func add(_ text: String?) {
        guard let text else { return facts.append(UInt8(ascii: "-")) }
        facts.append(UInt8(ascii: "t"))
        add(bytes: Array(text.utf8))
    }

    mutating func add(_ number: Int) {
        facts.append(UInt8(ascii: "n"))
        withUnsafeBytes(of: Int64(number).bigEndian) { facts.append(contentsOf: $0) }
    }

    mutating func add(_ flag: Bool) { facts.append(UInt8(ascii: flag ? "y" : "f")) }

    mutating func add(_ hashes: [Data]) {
        add(hashes.count)
        for hash in hashes { add(bytes: Array(hash)) }
    }

    private mutating func add(bytes: [UInt8]) {
        withUnsafeBytes(of: UInt64(bytes.count).bigEndian) { facts.append(contentsOf: $0) }
        facts.append(contentsOf: bytes)
    }

    private var value: Data { Data(SHA256.hash(facts)) }

    static func of(_ property: NSPropertyDescription) -> Data {
        var hash = VersionHash()
        property.addFacts(to: &hash)
        return hash.value
    }

    /// Returns the hash of an entity. The order of its properties, fetched properties, its class, indexes, user
    /// information and validation do not change it.
    static func of(_ entity: NSEntityDescription) -> Data {
        var hash = VersionHash()
        hash.add(entity.name)
        hash.add(entity.superentity?.name)
        hash.add(entity.isAbstract)
        hash.add(entity.versionHashModifier)
        let stored = entity.properties.filter { !($0 is NSFetchedPropertyDescription) }
        hash.add(stored.sorted { $0.name < $1.name }.map(\.versionHash))
        let constraints = entity.uniquenessConstraints.map { constraint in
            constraint.map(NSEntityDescription.constraintKey).joined(separator: "\u{0}")
        }
        hash.add(constraints.count)
        for constraint in constraints.sorted() { hash.add(constraint) }
        return hash.value
    }
}
