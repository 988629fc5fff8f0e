import StratusCloudModel
import StratusCloudStore

/// The date of the latest signature of a server-to-server key that a request which changes something was accepted with.
///
/// Signatures themselves are remembered in memory only. After a restart those that may have been accepted before are refused
/// by their date, so a request that was recorded before cannot be sent again.
struct SignatureDate: StoredValue, Hashable {
    static let format: UInt8 = 1

    /// Milliseconds since 1970-01-01 UTC, of whole seconds as dates of signatures are.
    var latest: Int64

    init(latest: Int64) { self.latest = latest }

    init(from reader: inout ByteReader) throws { latest = try reader.signed() }

    func write(to writer: inout ByteWriter) { writer.write(signed: latest) }
}

extension DirectoryKey {
    static func signatureDate(ofKey id: String) -> Key { key(.signatureDate, id) }
}

extension CloudService {
    /// Refuses a signature that an earlier run of the server may have accepted, and stores the date for the next run. That is
    /// one write for each key and second at most.
    /// - Throws: `tryAgainLater` for a signature that is not later than the latest one before the restart.
    func checkRestart(_ keyID: String, _ date: Int64) async throws(CloudError) {
        let key = DirectoryKey.signatureDate(ofKey: keyID)
        let known: SignatureMemory.Dates
        if let dates = signatures.dates(of: keyID) {
            known = dates
        } else {
            let stored: SignatureDate? = try await reading(.directory) { try $0.value(at: key) }
            known = signatures.begin(keyID, latest: stored?.latest ?? .min)
        }
        guard date > known.before else {
            throw CloudError(
                .tryAgainLater, "the server was restarted since the request was signed; sign it again",
                retryAfter: Int((known.before - date) / 1_000) + 1)
        }
        guard date > known.stored else { return }
        // Others with the same date store it, too, until it is there: none of them is answered before.
        try await writing(.directory) { transaction in
            let latest: SignatureDate? = try transaction.value(at: key)
            if latest.map({ $0.latest < date }) ?? true { transaction.set(key, SignatureDate(latest: date)) }
        }
        signatures.noteStored(date, of: keyID)
    }
}
