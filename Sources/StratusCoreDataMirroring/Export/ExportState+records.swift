import Foundation
import StratusCloudKit

extension ExportState {
    /// Returns the record as the server had it last.
    func serverRecord() throws -> CKRecord? {
        guard let server else { return nil }
        if server.first == CKRecord.snapshotVersion { return try CKRecord(snapshot: server) }
        let coder = try NSKeyedUnarchiver(forReadingFrom: server)
        coder.requiresSecureCoding = true
        defer { coder.finishDecoding() }
        return CKRecord(coder: coder)
    }

    /// Whether a record that was fetched is the one that the server was last known to have. Its creator has another name
    /// after somebody else has signed in.
    func has(_ record: CKRecord) throws -> Bool {
        guard let known = try serverRecord(), let tag = known.recordChangeTag else { return false }
        return tag == record.recordChangeTag && known.creatorUserRecordID == record.creatorUserRecordID
    }

    /// Takes over a record of the server.
    mutating func take(_ record: CKRecord) {
        server = record.snapshot ?? Self.archive(of: record)
        isListed = true
    }

    private static func archive(of record: CKRecord) -> Data {
        let coder = NSKeyedArchiver(requiringSecureCoding: true)
        record.encode(with: coder)
        return coder.encodedData
    }

    /// Notes that the server has the record of a link. Such a record never changes, so that its change tag is kept alone:
    /// an archive of it would take most of the time of an import.
    mutating func takeLink(_ record: CKRecord) {
        server = Data((record.recordChangeTag ?? "").utf8)
        isListed = true
    }
}
