import StratusCloudModel
import StratusCloudStore

/// That an account is being erased. It is noted in the transaction that ends the account, and goes with the last thing that
/// is left of it, so that a server that starts again goes on.
struct Erasure: StoredValue, Hashable {
    static let format: UInt8 = 1

    var accountID: String
    /// The address that the account had; somebody else may have it by now.
    var email: String
    /// Whether what the person saved in public databases goes, too.
    var deletesPublicRecords: Bool

    init(accountID: String, email: String, deletesPublicRecords: Bool) {
        self.accountID = accountID
        self.email = email
        self.deletesPublicRecords = deletesPublicRecords
    }

    init(from reader: inout ByteReader) throws {
        self.init(
            accountID: try reader.string(), email: try reader.string(), deletesPublicRecords: try reader.byte() != 0)
    }

    func write(to writer: inout ByteWriter) {
        writer.write(accountID)
        writer.write(email)
        writer.write(byte: deletesPublicRecords ? 1 : 0)
    }
}

/// What an erasure did. Of one that was cut short: what was left to be done.
public struct ErasureReport: Hashable, Sendable {
    /// Containers' environments that the person used.
    public internal(set) var environments = 0
    /// Zones of theirs, with what was shared of them.
    public internal(set) var zones = 0
    /// Zones of others that they left.
    public internal(set) var participations = 0
    /// Files of assets that were removed.
    public internal(set) var assetFiles = 0
    /// Records in public databases that were deleted.
    public internal(set) var publicRecords = 0
    /// Those that were not, because other records hold them; the first ``ErasureReport/listed``.
    public internal(set) var keptRecords: [String] = []
    /// Sessions of apps that ended.
    public internal(set) var sessions = 0

    /// Records that ``keptRecords`` names.
    public static let listed = 100
}
