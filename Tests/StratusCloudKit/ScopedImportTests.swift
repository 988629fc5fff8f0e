import Testing

import class CloudKit.CKRecord

@Suite struct ScopedImportTests {
    @Test func oneClassCanBeImported() {
        #expect(CKRecord(recordType: "Note").recordType == "Note")
    }
}
