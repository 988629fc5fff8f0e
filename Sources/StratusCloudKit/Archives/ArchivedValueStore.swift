import Foundation

/// The values of a record in an archive of Apple's: of its fields, or of the encrypted ones.
final class ArchivedValueStore: NSObject, NSSecureCoding {
    let values: [String: RecordValue]
    /// The keys that were set since the record was made, fetched or saved.
    let changedKeys: [String]

    static var supportsSecureCoding: Bool { true }

    /// Nil if one of the values cannot be read: a record without it could overwrite it.
    init?(coder: NSCoder) {
        guard let members = ArchivedDictionary.decoded(coder, RecordFields.valueClasses, "RecordValues") else {
            return nil
        }
        var values: [String: RecordValue] = [:]
        for (key, object) in members {
            guard let key = key as? String, FieldName.isKey(key), let value = RecordValue(object) else { return nil }
            values[key] = value
        }
        let changed = coder.decoded([NSSet.self, NSString.self], "ChangedKeys") as? NSSet
        self.values = values
        changedKeys = (changed?.compactMap { $0 as? String } ?? []).filter(FieldName.isKey).sorted()
    }

    /// Does nothing, as none is ever written.
    func encode(with coder: NSCoder) {}
}
