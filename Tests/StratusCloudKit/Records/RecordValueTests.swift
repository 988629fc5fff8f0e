import CloudKit
import Testing

extension CKRecord.FieldKey {
    fileprivate static let name = "name"
}

@Suite struct RecordValueTests {
    @Test func severalValuesByName() {
        let record = CKRecord(recordType: "T")
        record.setValuesForKeys(["title": "Hi", "count": 7, "day": Date(timeIntervalSinceReferenceDate: 1)])
        #expect(record["title"] == "Hi" && record["count"] == 7 && record.allKeys() == ["count", "day", "title"])
        record.setValuesForKeys(["title": NSNull()])
        #expect(record["title"] == nil && record.changedKeys().contains("title"))
        let values = record.dictionaryWithValues(forKeys: ["count", "title", "recordType"])
        #expect(values["count"] as? Int == 7 && values["title"] is NSNull && values.count == 3)
    }

    let record = CKRecord(recordType: "T")

    @Test func literalsComeBackAsWhatTheyAre() {
        record["title"] = "abc"
        record["n"] = 3
        record["d"] = 2.5
        record["flag"] = true
        record["tags"] = ["a", "b"]
        record["nums"] = [1, 2, 3]
        record["when"] = Date(timeIntervalSinceReferenceDate: 0.1)
        record["data"] = Data([1, 2])
        #expect(record["title"] as? String == "abc")
        #expect(record["title"] as? NSString == "abc")
        #expect(record["n"] as? Int == 3)
        #expect(record["n"] as? Int64 == 3)
        #expect(record["n"] as? Double == 3)
        #expect(record["n"] as? NSNumber == 3)
        #expect(record["d"] as? Double == 2.5)
        #expect(record["d"] as? Int == nil)
        #expect(record["flag"] as? Bool == true)
        #expect(record["flag"] as? Int == 1)
        #expect(record["tags"] as? [String] == ["a", "b"])
        #expect(record["nums"] as? [Int] == [1, 2, 3])
        #expect(record["nums"] as? [Int64] == [1, 2, 3])
        #expect(record["when"] as? Date == Date(timeIntervalSinceReferenceDate: 0.1))
        #expect(record["data"] as? Data == Data([1, 2]))
        #expect(record["missing"] as? String == nil)
    }

    @Test func valuesOfOtherKinds() {
        let id = CKRecord.ID(recordName: "r")
        record["ref"] = CKRecord.Reference(recordID: id, action: .deleteSelf)
        record["refs"] = [CKRecord.Reference(recordID: id, action: .none)]
        record["place"] = CLLocation(latitude: 1, longitude: 2)
        record["asset"] = CKAsset(fileURL: URL(fileURLWithPath: "/tmp/x"))
        #expect((record["ref"] as? CKRecord.Reference)?.action == .deleteSelf)
        #expect((record["refs"] as? [CKRecord.Reference])?.first?.recordID == id)
        #expect((record["place"] as? CLLocation)?.coordinate.longitude == 2)
        #expect((record["asset"] as? CKAsset)?.fileURL?.path == "/tmp/x")
    }

    @Test func theGenericSubscriptKnowsTheType() {
        record["n"] = 1
        record["f"] = 0.1
        record["s"] = "x"
        let number: Int? = record["n"]
        let flag: Bool? = record["n"]
        let text: String? = record["s"]
        let wrong: Date? = record["s"]
        let float: Float? = record["f"]
        #expect(number == 1 && flag == true && text == "x" && wrong == nil && float == 0.1)
        #expect((record["missing"] ?? "default") == "default")
    }

    @Test func valuesAsCKRecordValue() {
        let optional: String? = "o"
        let none: Int? = nil
        record["a"] = "hello" as any CKRecordValue
        record["b"] = 3 as any CKRecordValue
        record["c"] = ["x"] as NSArray
        record["d"] = optional
        record["e"] = none
        record["f"] = optional.map { $0 as any CKRecordValue }
        record[.name] = "key"
        record.setObject("obj" as NSString, forKey: "g")
        record.setValue(4, forKey: "h")
        let any: Any = 5
        record["i"] = any as? any CKRecordValue
        let values: [String: any CKRecordValueProtocol] = ["j": "x", "k": 3]
        for (key, value) in values { record[key] = value }
        #expect(record["a"] as? String == "hello" && record["b"] as? Int == 3)
        #expect(record["c"] as? [String] == ["x"] && record["d"] as? String == "o")
        #expect(record["e"] == nil && record["f"] as? String == "o" && record["name"] as? String == "key")
        #expect(record.object(forKey: "g") as? String == "obj" && record.value(forKey: "h") as? Int == 4)
        #expect(record["i"] as? Int == 5 && record["j"] as? String == "x" && record["k"] as? Int == 3)
        let value: (any CKRecordValue)? = record["a"]
        #expect(value?.isEqual("hello" as NSString) == true)
    }

    @Test func patternsMatch() {
        record["s"] = "x"
        record["n"] = 3
        var found: [String] = []
        for key in record.allKeys() {
            switch record[key] {
            case let text as String: found.append(text)
            case let number as Int: found.append("\(number)")
            default: break
            }
        }
        #expect(found == ["3", "x"])
        #expect(record["s"] is String)
    }

    @Test func mutableObjectsAreCopied() {
        let text = NSMutableString(string: "before")
        let list = NSMutableArray(array: ["a"])
        record["text"] = text
        record["list"] = list
        text.append(" after")
        list.add("b")
        #expect(record["text"] as? String == "before")
        #expect(record["list"] as? [String] == ["a"])
    }

    @Test func changedKeysAreThoseThatWereSet() {
        #expect(record.changedKeys().isEmpty)
        record["never"] = nil
        #expect(record.changedKeys().isEmpty, "the removal of what was never there is no change")
        record["a"] = 1
        record["b"] = 2
        record["a"] = nil
        #expect(record.changedKeys() == ["a", "b"])
        #expect(record.allKeys() == ["b"])
    }

    @Test func encryptedValuesHaveKeysOfTheirOwn() {
        record["name"] = "plain"
        record.encryptedValues["name"] = "secret"
        record.encryptedValues[.name] = "secret 2"
        #expect(record["name"] as? String == "plain")
        #expect(record.encryptedValues["name"] as? String == "secret 2")
        #expect(record.allKeys() == ["name"] && record.encryptedValues.allKeys() == ["name"])
        #expect(record.encryptedValues.changedKeys() == ["name"])
    }

    @Test func tokensAreTheWordsOfAllTexts() {
        record["a"] = "two words"
        record["b"] = ["three more words"]
        record["c"] = 5
        #expect(record.allTokens() == ["two", "words", "three", "more", "words"])
    }

    @Test func recordsAreSequences() {
        record["a"] = "x"
        record["b"] = 2
        #expect(record.map { $0.0 } == ["a", "b"])
    }

    @Test func copiesAreRecordsOfTheirOwn() throws {
        record["a"] = 1
        record.setParent(CKRecord.ID(recordName: "p"))
        let copy = try #require(record.copy() as? CKRecord)
        copy["a"] = 2
        #expect(record["a"] as? Int == 1 && copy["a"] as? Int == 2)
        #expect(copy.parent?.recordID.recordName == "p" && copy.parent?.action == CKRecord.ReferenceAction.none)
        #expect(copy.changedKeys() == ["a"] && copy.recordID == record.recordID)
    }

    @Test func identifiersCompareByValue() {
        let zone = CKRecordZone.ID(zoneName: "Z")
        #expect(
            CKRecord.ID(recordName: "r", zoneID: zone) == CKRecord.ID(recordName: "r", zoneID: .init(zoneName: "Z")))
        #expect(CKRecord.ID(recordName: "r") != CKRecord.ID(recordName: "r", zoneID: zone))
        #expect(CKRecordZone.ID(zoneName: "Z", ownerName: "_x") != zone)
        #expect(Set([zone, .init(zoneName: "Z")]).count == 1)
        #expect(CKRecordZone.ID.default.zoneName == "_defaultZone" && CKCurrentUserDefaultName == "__defaultOwner__")
    }

    @Test func propertiesByName() {
        record.setParent(CKRecord.ID(recordName: "p"))
        #expect((record.value(forKey: "recordID") as? CKRecord.ID) == record.recordID)
        #expect((record.value(forKey: "___parent") as? CKRecord.Reference)?.recordID.recordName == "p")
        #expect(record.value(forKey: "creationDate") == nil)
    }

    @Test func predicatesReadRecords() {
        record["n"] = 3
        record["tags"] = ["a", "b"]
        #expect(NSPredicate(format: "n > 2 AND tags CONTAINS 'a' AND creationDate == nil").evaluate(with: record))
        #expect(!NSPredicate(format: "n > 3").evaluate(with: record))
    }

    @Test func arraysOfNothingAndNumbersOfAllSizes() {
        record["empty"] = [String]()
        record["big"] = UInt64.max
        record["small"] = Int8(-3)
        #expect((record["empty"] as? [String])?.isEmpty == true)
        #expect(record["big"] as? UInt64 == .max && record["small"] as? Int == -3)
    }
}
