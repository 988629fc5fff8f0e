import Foundation
import StratusCloudKit

/// The place up to which a public database is known, and the person who looked. Kept in the file of the store.
struct PublicMirrorState: Codable, Sendable {
    /// The archive of the feed's token; nil to list everything.
    private var tokenData: Data?
    /// The record types that the token is about.
    var recordTypes: [String] = []
    /// The latest modification dates that queries have found, by record type.
    var dates: [String: Date] = [:]
    /// The last account that was signed in. Stored records of which that person is the creator may say so without a
    /// name.
    var account: String?
    /// Whether records may be stored that were fetched for another account. Such a record is named by the creator of
    /// that time until it has come again.
    var hasRecordsOfFormerAccount = false

    var token: CKServerChangeToken? {
        get {
            guard let tokenData else { return nil }
            return try? NSKeyedUnarchiver.unarchivedObject(ofClass: CKServerChangeToken.self, from: tokenData)
        }
        set {
            tokenData = newValue.flatMap {
                try? NSKeyedArchiver.archivedData(withRootObject: $0, requiringSecureCoding: true)
            }
        }
    }

    /// Begins anew.
    mutating func forgetPosition() {
        tokenData = nil
        dates = [:]
    }

    /// Notes who is signed in. For another person than before, everything is fetched again.
    mutating func note(account: String) {
        if let known = self.account, known != account {
            forgetPosition()
            hasRecordsOfFormerAccount = true
        }
        self.account = account
    }
}

extension MirrorTables {
    /// Returns how far the public database is known; nil if nothing is, or it cannot be read.
    func publicState() throws -> PublicMirrorState? {
        guard let data = try engineState() else { return nil }
        return try? PropertyListDecoder().decode(PublicMirrorState.self, from: data)
    }

    func setPublicState(_ state: PublicMirrorState) throws {
        let encoder = PropertyListEncoder()
        encoder.outputFormat = .binary
        try setEngineState(try encoder.encode(state))
    }
}
