import Foundation
import StratusCoreData

/// Operations on a shared store, as text that a process prints and a simple model reads.
public enum SharedOperation: Equatable {
    /// Inserts an item into a list.
    case insert(item: Int, list: String)
    case set(item: Int, value: Int)
    case move(item: Int, list: String)
    case delete(item: Int)

    /// The names of the lists.
    public static let lists = ["a", "b", "c"]
    /// The items that all processes change and none deletes.
    public static let commonItems = 0..<6

    /// The operation as words.
    public var text: String {
        switch self {
        case .insert(let item, let list): "insert \(item) \(list)"
        case .set(let item, let value): "set \(item) \(value)"
        case .move(let item, let list): "move \(item) \(list)"
        case .delete(let item): "delete \(item)"
        }
    }

    /// Reads the words of an operation.
    public init?(_ text: some StringProtocol) {
        let words = text.split(separator: " ")
        guard words.count >= 2, let item = Int(words[1]) else { return nil }
        let third = words.count > 2 ? String(words[2]) : ""
        switch words[0] {
        case "insert": self = .insert(item: item, list: third)
        case "move": self = .move(item: item, list: third)
        case "delete": self = .delete(item: item)
        case "set":
            guard let value = Int(third) else { return nil }
            self = .set(item: item, value: value)
        default: return nil
        }
    }

    /// Applies the operation to the objects of a store.
    /// - Returns: Whether it changes something.
    @discardableResult
    public func apply(to store: SharedStore) throws -> Bool {
        func find(_ entity: String, _ predicate: NSPredicate) throws -> NSManagedObject {
            let request = NSFetchRequest<NSManagedObject>(entityName: entity)
            request.predicate = predicate
            guard let found = try store.context.fetch(request).first else { throw CocoaError(.fileNoSuchFile) }
            return found
        }
        func object(_ item: Int) throws -> NSManagedObject {
            try find("Item", NSPredicate(format: "number == %d", item))
        }
        func owner(_ list: String) throws -> NSManagedObject {
            try find("List", NSPredicate(format: "name == %@", list))
        }
        switch self {
        case .insert(let item, let list):
            _ = store.insert("Item", ["number": item, "value": 0, "list": try owner(list)])
        case .set(let item, let value): try object(item).setValue(value, forKey: "value")
        case .move(let item, let list):
            let (item, owner) = (try object(item), try owner(list))
            guard item.value(forKey: "list") as? NSManagedObject !== owner else { return false }
            item.setValue(owner, forKey: "list")
        case .delete(let item): store.context.delete(try object(item))
        }
        return true
    }
}
