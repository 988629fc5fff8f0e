import Foundation

// `@unchecked Sendable`: a lock protects the tables. The references are numbers, texts and other values that programs do
// not change, because they identify objects.
/// The objects with which a store of a program identifies its objects, and the primary keys that stand for them here.
final class StoreReferences: @unchecked Sendable {
    private struct Name: Hashable {
        let entity: String
        let reference: AnyHashable
    }

    private let lock = NSLock()
    private var numbers: [Name: Int64] = [:]
    private var texts: [Name: Int64] = [:]
    private var references: [Any] = []

    /// Returns the primary key for a reference of an object of an entity.
    func number(of reference: Any, _ entity: NSEntityDescription) -> Int64 {
        let hashable = reference as? AnyHashable ?? AnyHashable(ObjectIdentifier(reference as AnyObject))
        let name = Name(entity: entity.name ?? "", reference: hashable)
        return lock.withLock {
            if let known = numbers[name] { return known }
            references.append(reference)
            let number = Int64(references.count)
            numbers[name] = number
            texts[Name(entity: name.entity, reference: Self.text(reference))] = number
            return number
        }
    }

    /// Returns the reference of an object of a store. Stops the program if the object is not in the store.
    func reference(of id: NSManagedObjectID, in store: NSPersistentStore) -> Any {
        guard let reference = reference(id.number), id.store === store else {
            preconditionFailure("the object \(id) is not in the store")
        }
        return reference
    }

    /// Returns the reference that a primary key stands for.
    private func reference(_ number: Int64) -> Any? {
        lock.withLock { references.indices.contains(Int(number) - 1) ? references[Int(number) - 1] : nil }
    }

    /// Returns the text of a reference in URIs.
    func text(of number: Int64) -> String { reference(number).map(Self.text) ?? "\(number)" }

    /// Returns the primary key for a text in a URI. As with Apple, digits become a number if the store has not used
    /// another reference with that text.
    func number(ofText text: String, _ entity: NSEntityDescription) -> Int64 {
        let name = Name(entity: entity.name ?? "", reference: text)
        if let known = lock.withLock({ texts[name] }) { return known }
        return number(of: Int64(text).map { NSNumber(value: $0) } ?? text, entity)
    }

    private static func text(_ reference: Any) -> String { "\(reference)" }
}
