import CloudKit
import Foundation
import StratusTestSupport
import Testing

/// Archives in the shape that Apple's classes write, with keys that nothing here knows.
@Suite struct AppleArchiveTests {
    private func read<Value: NSObject & NSSecureCoding>(
        _ type: Value.Type = Value.self, _ build: (inout AppleArchive) -> [String: Int]
    ) throws -> Value {
        var archive = AppleArchive()
        let root = build(&archive)
        let data = try archive.data(["root": root])
        return try #require(try NSKeyedUnarchiver.unarchivedObject(ofClass: type, from: data))
    }

    @Test func identifiers() throws {
        let zoneID = try read(CKRecordZone.ID.self) { $0.zoneID("Notes", owner: "_bob") }
        #expect(zoneID == CKRecordZone.ID(zoneName: "Notes", ownerName: "_bob"))
        let recordID = try read(CKRecord.ID.self) { $0.recordID("a", $0.zoneID("Notes")) }
        #expect(recordID == CKRecord.ID(recordName: "a", zoneID: .init(zoneName: "Notes")))
        let reference = try read(CKRecord.Reference.self) {
            $0.reference(to: $0.recordID("a", $0.zoneID("Notes")), action: 1)
        }
        #expect(reference == CKRecord.Reference(recordID: recordID, action: .deleteSelf))
    }

    @Test func changeTokens() throws {
        func make(_ bytes: [UInt8]) throws -> CKServerChangeToken {
            try read { $0.add("CKServerChangeToken", ["ChangeTokenData": $0.add(Data(bytes))]) }
        }
        let token = try make([1, 0xFF, 0xFE, 3])
        let copy = try NSKeyedArchiver.archivedData(withRootObject: token, requiringSecureCoding: true)
        #expect(try NSKeyedUnarchiver.unarchivedObject(ofClass: CKServerChangeToken.self, from: copy) == token)
        let other = try make([1, 0xFE, 0xFF, 3])
        #expect(token != other, "bytes that are no text are kept as they are")
    }

    private func expectSystemFields(_ record: CKRecord) {
        let zoneID = CKRecordZone.ID(zoneName: "Notes")
        #expect(record.recordType == "Note" && record.recordID == .init(recordName: "note", zoneID: zoneID))
        #expect(record.recordChangeTag == "kx7f2q")
        #expect(record.creationDate == Date(timeIntervalSinceReferenceDate: 700_000_000.25))
        #expect(record.modificationDate == Date(timeIntervalSinceReferenceDate: 700_000_060.5))
        #expect(record.creatorUserRecordID?.recordName == CKCurrentUserDefaultName)
        #expect(record.lastModifiedUserRecordID?.recordName == "_carol")
        #expect(record.parent?.recordID.recordName == "folder")
        #expect(record.share?.recordID == CKRecord.ID(recordName: "Share-1", zoneID: zoneID))
        #expect(record.allKeys().isEmpty && record.changedKeys().isEmpty)
    }

    @Test("system fields, as sync programs keep them") func systemFields() throws {
        var archive = AppleArchive()
        let fields = archive.systemFields()
        let unarchiver = try NSKeyedUnarchiver(forReadingFrom: try archive.data(fields))
        unarchiver.requiresSecureCoding = true
        let record = try #require(CKRecord(coder: unarchiver))
        unarchiver.finishDecoding()
        expectSystemFields(record)
        // They are whole: what is written of them here reads the same.
        let archiver = NSKeyedArchiver(requiringSecureCoding: true)
        record.encodeSystemFields(with: archiver)
        archiver.finishEncoding()
        let again = try NSKeyedUnarchiver(forReadingFrom: archiver.encodedData)
        expectSystemFields(try #require(CKRecord(coder: again)))
    }

    @Test("what is not whole is refused", arguments: ["RecordType", "RecordID"]) func damaged(_ key: String) throws {
        var archive = AppleArchive()
        var fields = archive.systemFields()
        fields[key] = nil
        let unarchiver = try NSKeyedUnarchiver(forReadingFrom: try archive.data(fields))
        #expect(CKRecord(coder: unarchiver) == nil)
    }

    /// In a process of its own: nothing else has made the names of Apple's classes known there.
    @Test func theyAreTheFirstThingThatAProgramReads() async throws {
        var archive = AppleArchive()
        let token = archive.add("CKServerChangeToken", ["ChangeTokenData": archive.add(Data([1, 2, 3]))])
        let data = try archive.data(["root": token])
        let program = try ChildProcess(Tool.beside("StratusTestClient"), ["token", data.base64EncodedString()])
        #expect(await program.standardOutput == "read <CKServerChangeToken: 3 bytes>\n")
    }
}
