import StratusCloudModel
import StratusCloudStore

/// Whose files a call is about.
public enum FileOwner: Hashable, Sendable {
    /// The caller's own files.
    case caller
    /// Another person's files that are shared with the caller, by that person's user record name.
    case other(String)

    var scope: DatabaseScope { self == .caller ? .private : .shared }

    var zoneID: ZoneID {
        switch self {
        case .caller: ZoneID(zoneName: FileFormat.zoneName)
        case .other(let name): ZoneID(zoneName: FileFormat.zoneName, ownerRecordName: name)
        }
    }
}

/// Reads files as a caller sees them.
struct FileReader {
    let view: ZoneView
    let zoneID: ZoneID
    let transaction: any ReadTransaction

    var zone: ZoneNumber { view.number }

    /// The items that records of some names are, without those that the caller does not see.
    func items(_ names: [String]) throws -> [FileItem] {
        try view.recordRows(names, in: transaction).compactMap { row in
            guard let row else { return nil }
            var record = try row.record()
            view.conceal(&record, record.recordType, share: record.share)
            return FileItem(record.record(in: zoneID))
        }
    }

    /// Whether a caller may look into a folder. The root folder of others is nobody else's.
    func mayList(_ folder: FileFolder) throws -> Bool {
        guard view.access != nil else { return true }
        guard let name = folder.recordName else { return false }
        return try view.isVisible([name], in: transaction)[0]
    }
}

extension CloudService {
    /// Reads in the zone of files.
    /// - Parameter otherwise: The result where nobody has saved a file yet, or nothing is shared with the caller.
    func readingFiles<Result: Sendable>(
        of owner: FileOwner, as caller: Caller, otherwise: Result,
        _ body: @escaping @Sendable (FileReader) throws -> Result
    ) async throws(CloudError) -> Result {
        let address = try DatabaseAddress(owner.scope, owner.zoneID, caller)
        return try await reading(address.partition) { transaction in
            guard let view = try address.view(in: transaction) else { return otherwise }
            return try body(FileReader(view: view, zoneID: address.zoneID, transaction: transaction))
        }
    }
}
