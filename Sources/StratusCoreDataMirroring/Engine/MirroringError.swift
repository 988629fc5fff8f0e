import Foundation
import StratusCloudKit
import StratusCoreData

/// Errors of the mirroring, in Cocoa's domain with Apple's codes.
enum MirroringError {
    /// Nobody is signed in.
    static let noAccount = CocoaError.Code(rawValue: 134_400)
    /// Another account is signed in than when something began.
    static let otherAccount = CocoaError.Code(rawValue: 134_405)
    /// The mirroring cannot begin.
    static let notInitialized = CocoaError.Code(rawValue: 134_406)

    static var signedOut: NSError {
        CocoaError.make(noAccount, "no account is signed in, so the store is not mirrored until one is")
    }

    static var accountChanged: NSError {
        CocoaError.make(
            otherAccount, "another account has been signed in, so the objects of the former one leave the store")
    }

    /// Returns the reason why a store cannot be mirrored; nil if it can be, or that cannot be found out now. The public
    /// database needs no account.
    static func ofAccount(_ container: CKContainer, _ scope: CKDatabase.Scope) async -> (any Error)? {
        do {
            switch try await container.accountStatus() {
            case .available, .temporarilyUnavailable: return nil
            case .noAccount, .couldNotDetermine, .restricted: return scope == .public ? nil : signedOut
            }
        } catch {
            let cloud = CKError(any: error)
            // The engine waits for the network.
            if cloud.isTransient, cloud.code != .notAuthenticated { return nil }
            return CocoaError.make(
                notInitialized, "the cloud cannot be used: \(error.localizedDescription)",
                [NSUnderlyingErrorKey: error])
        }
    }

    /// Returns the error of record types that could not be queried; nil if there was no failure.
    static func ofQueries(_ failures: [String: any Error]) -> (any Error)? {
        let texts = failures.sorted { $0.key < $1.key }.map { type, error in
            "records of the type '\(type)' cannot be queried: \(error.localizedDescription)"
        }
        return NSError.partialFailure(
            Dictionary(failures.map { (AnyHashable($0.key), $0.value) }, uniquingKeysWith: { first, _ in first }),
            texts.joined(separator: "; ")
                + "; a server without a feed of public databases needs the indexes QUERYABLE and SORTABLE of ___modTime"
        )
    }

    /// Returns the error of something that cannot be shared.
    static func sharing(_ text: String) -> NSError { CocoaError.make(.coreData, text) }

    /// Returns the error of records that could not be sent or taken over; nil if there was no failure.
    static func ofRecords(_ failures: [RecordFailure]) -> (any Error)? {
        let texts = failures.map(\.description).sorted()
        let shown = texts.prefix(10).joined(separator: "; ") + (texts.count > 10 ? "; …" : "")
        return NSError.partialFailure(
            Dictionary(failures.map { (AnyHashable($0.recordID), $0.error) }, uniquingKeysWith: { first, _ in first }),
            "\(failures.count) records failed: \(shown)")
    }
}

/// A record that could not be sent or taken over.
struct RecordFailure: Sendable, CustomStringConvertible {
    var recordID: CKRecord.ID
    /// The URI of the object; nil for a link and for an unknown record.
    var object: String?
    var error: any Error

    var description: String {
        "\(object.map { "\($0) as " } ?? "")record \(recordID.recordName): \(error.localizedDescription)"
    }
}
