import Foundation
import StratusCloudCrypto
import StratusCloudModel

/// The records in which a person's devices keep their keys, encrypted: in the default zone of the private database, where no
/// app's feed shows them.
struct KeyRecords: Sendable {
    struct Stored: Sendable {
        var bytes: [UInt8]
        var changeTag: String
    }

    /// The names of the records.
    enum Name {
        static let account = "stratus-account-key"
        static let approvals = "stratus-approvals"

        /// Zone names may be as long as record names, so a digest stands for them.
        static func zone(_ zoneName: String, for use: ZoneKeyUse = .zone) -> String {
            switch use {
            case .zone: "stratus-zone-key-" + Hex.encode(SHA256.hash(zoneName))
            case .share: "stratus-share-keys-" + Hex.encode(SHA256.hash(zoneName))
            }
        }

        /// Somebody else's share.
        static func joined(_ place: SharePlace) -> String {
            "stratus-joined-share-"
                + Hex.encode(SHA256.hash(Frames(place.owner.user).adding(place.zoneName, place.shareName).bytes))
        }
    }

    private static let field = "envelope"
    /// Records of one request.
    private static let batch = 100
    /// Times that a change is tried over what others wrote meanwhile.
    private static let attempts = 8

    let client: DatabaseClient
    let place: AccountPlace

    /// What the server has under some names.
    func read(_ names: [String]) async throws -> [String: Stored] {
        var found: [String: Stored] = [:]
        for start in stride(from: 0, to: names.count, by: Self.batch) {
            let part = names[start..<min(start + Self.batch, names.count)]
            let request = LookupRecordsRequest(items: part.map { LookupRecordsRequest.Item(recordName: $0) })
            let results = try await client.send(.lookupRecords(request)) { answer throws(CloudTransportError) in
                try answer.records()
            }
            for (name, result) in zip(part, results) {
                switch result {
                case .saved(let record): found[name] = try Self.stored(record, name)
                case .deleted: break
                case .failed(_, let error):
                    guard error.code == .notFound else { throw NSError.cloudKit(error) }
                }
            }
        }
        return found
    }

    private static func stored(_ record: Record, _ name: String) throws -> Stored {
        guard record.recordName == name, record.recordType == SystemRecordType.encryptionKeys,
            case .scalar(.bytes(let bytes))? = record.fields[field]?.value
        else { throw NSError.malformedKeys(name) }
        return Stored(bytes: bytes, changeTag: record.recordChangeTag)
    }

    /// Writes a record if it is as the caller knows it.
    /// - Parameter changeTag: nil for a record that is not there yet.
    /// - Returns: false if somebody else wrote it meanwhile.
    func write(_ bytes: [UInt8], _ name: String, over changeTag: String?) async throws -> Bool {
        let input = RecordInput(
            recordName: name, recordType: SystemRecordType.encryptionKeys, recordChangeTag: changeTag,
            fields: [(Self.field, FieldInput(Field(.scalar(.bytes(bytes)))))])
        let operation = RecordOperation(changeTag == nil ? .create : .update, input, desiredKeys: [])
        let results = try await modify([operation])
        guard case .failed(_, let error)? = results.first else { return true }
        switch error.code {
        case .conflict, .exists, .notFound: return false
        default: throw NSError.cloudKit(error)
        }
    }

    /// Changes a record, again if somebody else changes it meanwhile.
    /// - Parameter change: the new bytes from the old ones; nil leaves the record as it is.
    func update(_ name: String, _ change: ([UInt8]?) throws -> [UInt8]?) async throws {
        for _ in 0..<Self.attempts {
            let stored = try await read([name])[name]
            guard let bytes = try change(stored?.bytes) else { return }
            if try await write(bytes, name, over: stored?.changeTag) { return }
        }
        throw NSError.cloudKit(.zoneBusy, "Other devices change the keys all the time.")
    }

    /// Removes records; those that are not there are removed, too.
    func remove(_ names: [String]) async throws {
        for start in stride(from: 0, to: names.count, by: Self.batch) {
            let part = names[start..<min(start + Self.batch, names.count)]
            let results = try await modify(
                part.map { RecordOperation(.forceDelete, RecordInput(recordName: $0), desiredKeys: []) })
            for case .failed(_, let error) in results where error.code != .notFound { throw NSError.cloudKit(error) }
        }
    }

    private func modify(_ operations: [RecordOperation]) async throws -> [RecordResult] {
        try await client.send(.modifyRecords(ModifyRecordsRequest(operations: operations))) {
            answer throws(CloudTransportError) in try answer.records()
        }
    }
}

extension NSError {
    /// The server has something else where keys should be.
    static func malformedKeys(_ name: String) -> NSError {
        .cloudKit(.internalError, "The record '\(name)' does not hold keys as this version writes them.")
    }

    /// A zone can have no further key.
    static func tooManyKeys(of zoneName: String) -> NSError {
        .cloudKit(
            .limitExceeded, "The zone '\(zoneName)' has had \(ZoneEnvelope.keyLimit) keys, which is the maximum.")
    }

    /// There are keys, and this device has none of them.
    static var keysAreElsewhere: NSError {
        .cloudKit(
            .accountTemporarilyUnavailable,
            "The keys of the encrypted values are not on this device. Bring them here with the recovery phrase "
                + "(CKContainer.encryption.recover(with:)) or from another device (requestApproval(deviceName:)).")
    }
}
