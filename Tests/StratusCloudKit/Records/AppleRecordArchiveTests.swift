import CloudKit
import Foundation
import Testing

/// Records that Apple's classes archived whole.
@Suite struct AppleRecordArchiveTests {
    private func data(_ build: (inout AppleArchive) -> [String: Int]) throws -> Data {
        var archive = AppleArchive()
        let root = build(&archive)
        return try archive.data(["root": root])
    }

    private func read(_ build: (inout AppleArchive) -> [String: Int]) throws -> CKRecord? {
        try NSKeyedUnarchiver.unarchivedObject(ofClass: CKRecord.self, from: try data(build))
    }

    private func whole(_ archive: inout AppleArchive) -> [String: Int] {
        let target = archive.recordID("folder", archive.zoneID("Notes"))
        let values = archive.valueStore(
            [
                ("title", archive.add("Milk")), ("count", archive.add(26)), ("rating", archive.add(0.5)),
                ("isDone", archive.add(true)), ("edited", archive.date(5)), ("bytes", archive.add(Data([1, 2]))),
                ("tags", archive.list([archive.add("a"), archive.add("b")])),
                ("about", archive.reference(to: target, action: 1)), ("place", archive.location(48.85, 2.35)),
                ("picture", archive.asset("file:///tmp/A%20picture")), ("remote", archive.asset(nil)),
            ], changed: ["title", "count"])
        let encrypted = archive.valueStore(
            [("secret", archive.add("words"))], changed: ["secret"], "CKEncryptedRecordValueStore")
        return archive.record(values, encrypted: encrypted)
    }

    private func expectWhole(_ record: CKRecord) {
        #expect(record.recordID.recordName == "note" && record.recordChangeTag == "kx7f2q")
        #expect(record["title"] as? String == "Milk" && record["count"] as? Int == 26)
        #expect(record["rating"] as? Double == 0.5 && record["isDone"] as? Bool == true)
        #expect(record["edited"] as? Date == Date(timeIntervalSinceReferenceDate: 5))
        #expect(record["bytes"] as? Data == Data([1, 2]) && record["tags"] as? [String] == ["a", "b"])
        #expect((record["about"] as? CKRecord.Reference)?.action == .deleteSelf)
        #expect((record["place"] as? CLLocation)?.coordinate.latitude == 48.85)
        #expect((record["picture"] as? CKAsset)?.fileURL?.path == "/tmp/A picture")
        #expect(record["remote"] is CKAsset && (record["remote"] as? CKAsset)?.fileURL == nil)
        #expect(record.encryptedValues["secret"] as? String == "words")
        #expect(record.allKeys().count == 11 && record.changedKeys() == ["count", "title"])
        #expect(record.encryptedValues.changedKeys() == ["secret"])
    }

    @Test func values() throws {
        let record = try #require(try read(whole))
        expectWhole(record)
        let copy = try NSKeyedArchiver.archivedData(withRootObject: record, requiringSecureCoding: true)
        expectWhole(try #require(try NSKeyedUnarchiver.unarchivedObject(ofClass: CKRecord.self, from: copy)))
    }

    @Test("a value that cannot be read fails the archive") func unknownValue() throws {
        let archive = try data { archive in
            let package = archive.add("CKPackage", ["PackageUUID": archive.add("1")])
            return archive.record(archive.valueStore([("title", archive.add("Milk")), ("package", package)]))
        }
        #expect(throws: (any Error).self) {
            try NSKeyedUnarchiver.unarchivedObject(ofClass: CKRecord.self, from: archive)
        }
        // Nor does a record without it come of an unarchiver that goes on.
        let unarchiver = try NSKeyedUnarchiver(forReadingFrom: archive)
        unarchiver.decodingFailurePolicy = .setErrorAndReturn
        #expect(unarchiver.decodeObject(of: CKRecord.self, forKey: "root") == nil)
    }

    @Test("values that are not whole, or under names that no field has", arguments: 0..<4)
    func damaged(_ kind: Int) throws {
        let archive = try data { archive in
            let damaged: [String: Int]
            switch kind {
            case 0: damaged = archive.add("CKReference", ["ReferenceAction": 0])
            case 1: damaged = archive.list([archive.add("CKRecordID", ["RecordName": archive.add("a")])])
            case 2: damaged = archive.add("CKAsset", ["AssetSize": 1])
            default: return archive.record(archive.valueStore([("no name", archive.add("a"))]))
            }
            return archive.record(archive.valueStore([("title", archive.add("Milk")), ("damaged", damaged)]))
        }
        #expect(throws: (any Error).self) {
            try NSKeyedUnarchiver.unarchivedObject(ofClass: CKRecord.self, from: archive)
        }
    }

    @Test("what a program archives beside a record is read as before", arguments: [true, false])
    func besidesOtherDictionaries(recordFirst: Bool) throws {
        let archive = try data { archive in
            let record = whole(&archive)
            let own = archive.dictionary([("key", archive.add("value"))])
            return archive.list(recordFirst ? [record, own] : [own, record], "NSArray")
        }
        let classes = [NSArray.self, NSDictionary.self, NSString.self, CKRecord.self]
        let objects = try NSKeyedUnarchiver.unarchivedObject(ofClasses: classes, from: archive) as? NSArray
        let members = objects?.compactMap { $0 as? NSDictionary ?? ($0 as? [String: String]) as NSDictionary? } ?? []
        #expect(members.first?["key"] as? String == "value" && members.count == 1)
        expectWhole(try #require(objects?.compactMap { $0 as? CKRecord }.first))
    }
}
