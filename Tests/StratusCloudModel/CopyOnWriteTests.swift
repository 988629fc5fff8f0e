import Testing

@testable import StratusCloudModel

/// Values that are passed on by reference behave as those that are copied.
@Suite struct CopyOnWriteTests {
    private let record = Record(
        recordName: "n", recordType: "T", zoneID: .default, recordChangeTag: "1",
        fields: ["a": Field(.scalar(.int64(1)))], created: RecordStamp(timestamp: 1, userRecordName: "_u"),
        modified: RecordStamp(timestamp: 1, userRecordName: "_u"))

    @Test func aChangedCopyLeavesTheOtherAlone() {
        var copy = record
        copy.fields["b"] = Field(.scalar(.int64(2)))
        copy.created.deviceID = "Phone"
        #expect(record.fields.count == 1 && record.created.deviceID == "iCloud")
        #expect(copy.fields.count == 2 && copy.created.deviceID == "Phone" && copy != record)
        copy.fields["b"] = nil
        copy.created.deviceID = "iCloud"
        #expect(copy == record && copy.hashValue == record.hashValue)
    }

    /// What nobody else has is changed where it is: else each change would copy all.
    @Test func aLoneValueIsNotCopied() {
        var value = CopyOnWrite([1])
        let before = ObjectIdentifier(value.storage)
        value.value.append(2)
        #expect(ObjectIdentifier(value.storage) == before)
        let other = value
        value.value.append(3)
        #expect(ObjectIdentifier(value.storage) != before && other.value == [1, 2] && value.value == [1, 2, 3])
    }
}
