import CloudKit

// Existential types without `any`, and values as Objective-C's objects. Compiled, not run.

typealias Fields = [String: CKRecordValue]

enum BareValues {
    static func write(_ record: CKRecord, _ texts: [String], _ optional: String?, _ number: Int64) {
        record["title"] = "text" as CKRecordValue
        record["title"] = optional as CKRecordValue?
        record["title"] = optional.map { $0 as CKRecordValue }
        record["tags"] = texts as CKRecordValue
        record["tags"] = texts as [CKRecordValue] as CKRecordValue
        record["count"] = number as CKRecordValue
        record["count"] = NSNumber(value: number)
        record["when"] = Date() as CVarArg as? CKRecordValue
        record.setObject("text" as CKRecordValue, forKey: "title")
        record.setObject(texts as CKRecordValue?, forKey: "tags")
        record.setValue(number, forKey: "count")
        record.setValue(nil, forKey: "count")
        let fields: Fields = ["a": "x" as NSString, "b": 1 as NSNumber, "c": NSDate()]
        for (key, value) in fields { record[key] = value }
        fields.forEach { key, value in record.setObject(value, forKey: key) }
    }

    static func read(_ record: CKRecord) -> Fields {
        var fields = Fields()
        for key in record.allKeys() { fields[key] = record[key] }
        for key in record.allKeys() where fields[key] == nil { fields[key] = record.object(forKey: key) }
        let texts = record["tags"] as? NSArray ?? []
        let number = (record["count"] as? NSNumber)?.boolValue ?? false
        let date = record["when"] as? NSDate
        let any: Any? = record.value(forKey: "title")
        print(texts.count, number, date?.timeIntervalSinceReferenceDate ?? 0, any ?? "")
        return fields
    }

    static func value(_ any: Any) -> CKRecordValue? {
        switch any {
        case let text as String: return text as CKRecordValue
        case let number as Int: return number as NSNumber
        case let value as CKRecordValue: return value
        default: return nil
        }
    }

    static func query(_ date: Date, _ reference: CKRecord.Reference) -> NSPredicate {
        NSPredicate(format: "when > %@ AND owner = %@", date as CVarArg, reference)
    }
}
