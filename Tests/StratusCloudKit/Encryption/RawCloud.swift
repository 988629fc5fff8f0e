import StratusCloudModel
import Testing

@testable import StratusCloudKit

/// A private database as the server and its operator see it, and can change it.
struct RawCloud: Sendable {
    private let transport: any CloudTransport

    init(_ transport: any CloudTransport) { self.transport = transport }

    /// The bytes of an encrypted field.
    func field(_ name: String, of recordID: CKRecord.ID) async throws -> [UInt8]? {
        let request = LookupRecordsRequest(
            items: [LookupRecordsRequest.Item(recordName: recordID.recordName)],
            zoneID: ZoneID(zoneName: recordID.zoneID.zoneName))
        let results = try await transport.send(CloudRequest(.lookupRecords(request), in: .private)).records()
        guard case .saved(let record)? = results.first, case .scalar(.bytes(let bytes))? = record.fields[name]?.value
        else { return nil }
        return bytes
    }

    /// Writes bytes to an encrypted field.
    func put(_ bytes: [UInt8], _ field: String, _ recordID: CKRecord.ID, type: String = "Note") async throws {
        try await put(Field(.scalar(.bytes(bytes)), isEncrypted: true), field, recordID, type: type)
    }

    /// Writes bytes to a record of keys.
    func putPlain(_ bytes: [UInt8], _ field: String, _ recordID: CKRecord.ID) async throws {
        try await put(Field(.scalar(.bytes(bytes))), field, recordID, type: SystemRecordType.encryptionKeys)
    }

    private func put(_ value: Field, _ field: String, _ recordID: CKRecord.ID, type: String) async throws {
        let input = RecordInput(
            recordName: recordID.recordName, recordType: type, fields: [(field, FieldInput(value))])
        try await modify([RecordOperation(.forceUpdate, input)], ZoneID(zoneName: recordID.zoneID.zoneName))
    }

    private func modify(_ operations: [RecordOperation], _ zoneID: ZoneID) async throws {
        let request = ModifyRecordsRequest(operations: operations, zoneID: zoneID)
        let results = try await transport.send(CloudRequest(.modifyRecords(request), in: .private)).records()
        for case .failed(_, let error) in results { throw error }
    }
}
