import Foundation
import StratusCoreData

/// A list with items that is saved as a whole.
public enum SharedBatch {
    /// The items of each batch.
    public static let items = 4

    /// Inserts a batch and saves it, with its name as the author of the transaction.
    public static func save(_ name: String, _ number: Int, to store: SharedStore) throws {
        try store.context.performAndWait {
            let list = store.insert("List", ["name": name])
            for item in 0..<items {
                // Every eighth batch has data in files of their own.
                let length = number % 8 == 7 ? 120_000 : 10
                _ = store.insert(
                    "Item",
                    [
                        "number": item, "value": number, "list": list,
                        "data": Data(repeating: UInt8(truncatingIfNeeded: number), count: length),
                    ])
            }
            store.context.transactionAuthor = name
            try store.context.save()
            store.context.reset()
        }
    }

    /// Whether a list that is in a store is a whole batch.
    public static func isWhole(_ list: NSManagedObject) -> Bool {
        let members = list.value(forKey: "items") as? Set<NSManagedObject> ?? []
        let numbers = Set(members.compactMap { $0.value(forKey: "number") as? Int })
        return numbers == Set(0..<items)
            && members.allSatisfy { item in
                guard let number = item.value(forKey: "value") as? Int, let data = item.value(forKey: "data") as? Data
                else { return false }
                return data.count == (number % 8 == 7 ? 120_000 : 10)
                    && data.allSatisfy { $0 == UInt8(truncatingIfNeeded: number) }
            }
    }
}
