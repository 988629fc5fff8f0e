import CloudKit

extension CKRecord.FieldKey {
    fileprivate static let title = "title"
}

private enum Field: String { case body }

/// Records and their values as programs write them. Compiled, not run.
enum RecordSurface {
    static func identity() -> CKRecord {
        let zoneID = CKRecordZone.ID(zoneName: "Notes", ownerName: CKCurrentUserDefaultName)
        _ = [
            CKRecordZone.ID(), CKRecordZone.ID(zoneName: "Notes"), CKRecordZone.ID(ownerName: "_ada"), .default,
            CKRecordZone.default().zoneID, CKRecordZone(zoneName: "Notes").zoneID,
        ]
        _ = [
            CKRecord.ID(), CKRecord.ID(recordName: "a"), CKRecord.ID(zoneID: zoneID),
            CKRecord.ID(recordName: UUID().uuidString, zoneID: zoneID),
        ]
        _ = CKRecord(recordType: "Note")
        let type: CKRecord.RecordType = "Note"
        return CKRecord(recordType: type, recordID: CKRecord.ID(recordName: "a", zoneID: zoneID))
    }

    static func setting(_ record: CKRecord, _ place: CLLocation, _ url: URL, _ optional: String?) {
        record["title"] = "text"
        record["count"] = 3
        record["ratio"] = 0.5
        record["done"] = true
        record["due"] = Date()
        record["data"] = Data()
        record["place"] = place
        record["file"] = CKAsset(fileURL: url)
        record["parentNote"] = CKRecord.Reference(record: record, action: .deleteSelf)
        record["tags"] = ["a", "b"]
        record["numbers"] = [1, 2, 3]
        record["dates"] = [Date()]
        record["others"] = [CKRecord.Reference(recordID: record.recordID, action: .none)]
        record["files"] = [CKAsset(fileURL: url)]
        record["title"] = optional
        record["title"] = nil
        record[.title] = "by a key of its own"
        record[Field.body.rawValue] = optional?.lowercased()
        record.parent = nil
    }

    static func settingObjects(_ record: CKRecord, _ texts: [String], _ optional: String?) {
        record["title"] = "text" as any CKRecordValue
        record["title"] = "text" as NSString
        record["count"] = 3 as NSNumber
        record["count"] = NSNumber(value: true)
        record["count"] = Int64(3) as any CKRecordValue
        record["due"] = Date() as NSDate
        record["data"] = Data() as NSData
        record["tags"] = texts as NSArray
        record["tags"] = texts as any CKRecordValue
        record["tags"] = texts as [any CKRecordValue] as any CKRecordValue
        record["title"] = optional as (any CKRecordValue)?
        record["title"] = optional.map { $0 as any CKRecordValue }
        record.setObject("text" as NSString, forKey: "title")
        record.setObject(optional as NSString?, forKey: "title")
        record.setObject("text" as any CKRecordValue, forKey: "title")
        record.setObject(nil, forKey: "title")
        record.setValue("text", forKey: "title")
        record.setValue(optional, forKey: "title")
        for (key, value) in ["a": "x" as any CKRecordValue, "b": 1 as any CKRecordValue] { record[key] = value }
        let values: [String: any CKRecordValueProtocol] = ["a": "x", "b": 1, "c": Date()]
        for (key, value) in values { record[key] = value }
    }

    static func reading(_ record: CKRecord) -> String {
        let title: String? = record["title"]
        let body = record["body"] as? String ?? ""
        let count = record["count"] as? Int ?? 0
        let large = record["count"] as? Int64
        let ratio = record["ratio"] as? Double
        let done = record["done"] as? Bool ?? false
        let date: Date? = record["due"] as? Date
        let place = record["place"] as? CLLocation
        let file = (record["file"] as? CKAsset)?.fileURL
        let reference = record["parentNote"] as? CKRecord.Reference
        let references = record["others"] as? [CKRecord.Reference] ?? []
        let tags: [String] = record["tags"] ?? []
        let number = record.object(forKey: "count") as? NSNumber
        let byName = record.value(forKey: "title") as? String
        // swift-format-ignore: NeverForceUnwrap
        let forced = record["body"] as! String
        if let text: String = record["title"], !text.isEmpty { print(text) }
        guard let sum = record["count"] as Int? else { return "" }
        switch record["any"] {
        case let text as String: print(text)
        case let number as NSNumber: print(number.intValue)
        case let files as [CKAsset]: print(files.count)
        case .some(let value): print(value)
        case nil: break
        }
        print(count, large as Any, ratio as Any, done, date as Any, place as Any, file as Any, forced, sum)
        print(reference?.recordID.recordName ?? "", references.map(\.recordID), tags, number as Any, byName as Any)
        return title ?? body
    }

    static func everythingElse(_ record: CKRecord, _ parent: CKRecord) -> [Any?] {
        record.setParent(parent)
        record.setParent(parent.recordID)
        record.setParent(nil as CKRecord?)
        record.parent = CKRecord.Reference(recordID: parent.recordID, action: .none)
        for (key, value) in record { print(key, value) }
        for key in record.allKeys() where record.changedKeys().contains(key) { print(key) }
        let pairs = record.map { ($0, $1) }
        var iterator: CKRecordKeyValueIterator = record.makeIterator()
        while let (key, value) = iterator.next() { print(key, value) }
        // swift-format-ignore: NeverForceUnwrap
        let copy = record.copy() as! CKRecord
        return [
            record.recordType, record.recordID.recordName, record.recordID.zoneID.zoneName, record.recordChangeTag,
            record.creatorUserRecordID?.recordName, record.creationDate, record.lastModifiedUserRecordID,
            record.modificationDate, record.share, record.parent?.recordID, record.allTokens(), copy, pairs,
        ]
    }

    static func encrypted(_ record: CKRecord) async -> String? {
        record.encryptedValues["phone"] = "1"
        record.encryptedValues["phone"] = nil
        record.encryptedValues["when"] = Date()
        record.encryptedValues.setObject("1" as NSString, forKey: "phone")
        let values: any CKRecordKeyValueSetting & Sendable = record.encryptedValues
        await Task { _ = values.allKeys() }.value
        let phone: String? = record.encryptedValues["phone"]
        return phone ?? record.encryptedValues["phone"] as? String ?? values.changedKeys().first
    }

    static func generic<Store: CKRecordKeyValueSetting>(_ store: Store) -> Date? {
        store["due"] as? Date ?? store.object(forKey: "due") as? Date
    }

    static func archived(_ record: CKRecord) throws -> CKRecord? {
        let archiver = NSKeyedArchiver(requiringSecureCoding: true)
        record.encodeSystemFields(with: archiver)
        archiver.finishEncoding()
        let unarchiver = try NSKeyedUnarchiver(forReadingFrom: archiver.encodedData)
        unarchiver.requiresSecureCoding = true
        defer { unarchiver.finishDecoding() }
        let whole = try NSKeyedArchiver.archivedData(withRootObject: record, requiringSecureCoding: true)
        return try CKRecord(coder: unarchiver)
            ?? NSKeyedUnarchiver.unarchivedObject(ofClass: CKRecord.self, from: whole)
    }

    static func hashed(_ ids: [CKRecord.ID], _ zones: [CKRecordZone.ID]) -> Int {
        let byName = Dictionary(uniqueKeysWithValues: ids.map { ($0, $0.recordName) })
        let byZone = Dictionary(grouping: ids, by: \.zoneID)
        return Set(ids).union([CKRecord.ID(recordName: "a")]).count + byName.count + byZone.count + Set(zones).count
    }

    static func sent(_ record: CKRecord, _ reference: CKRecord.Reference, _ asset: CKAsset) async -> String {
        await Task.detached { record.recordID.recordName + reference.recordID.recordName + (asset.fileURL?.path ?? "") }
            .value
    }
}
