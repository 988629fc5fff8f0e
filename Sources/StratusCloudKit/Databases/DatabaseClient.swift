import Foundation
import StratusCloudModel

/// One database as one caller asks it: what the async API, the operations and the completion handlers all stand on.
///
/// Everything throws plain `NSError`s of CloudKit's domain.
struct DatabaseClient: Sendable {
    let connection: CloudConnection
    let scope: DatabaseScope
    var options = CallOptions()
    /// Names modifications, so that they can be sent again; nil for those that are not.
    var requestID: String?
    /// The change tags of records to be deleted that must not have changed.
    var changeTagsOfDeletions: [CKRecord.ID: String] = [:]
    /// What the app gives with modifications of records for the feed to give back.
    var clientChangeToken: [UInt8]?
    /// Whether lists of zones name those that the service itself knows, too. Apps do not expect them.
    var seesReservedZones = false
    /// Whether records come without the bytes of their assets, whose `fileURL` is then nil.
    var leavesAssets = false

    /// Sends a request whose failure is the whole operation's.
    func send(_ call: CloudCall) async throws -> CloudAnswer {
        do throws(CloudTransportError) {
            return try await connection.send(call, in: scope, options)
        } catch {
            throw failure(error, isMutating: call.isMutating).concerning(call)
        }
    }

    /// An answer of the kind that was asked for.
    func send<Answer>(
        _ call: CloudCall, _ answer: (CloudAnswer) throws(CloudTransportError) -> Answer
    ) async throws -> Answer {
        let whole = try await send(call)
        do throws(CloudTransportError) {
            return try answer(whole)
        } catch {
            throw failure(error, isMutating: false)
        }
    }

    /// The names of the current user, and of everybody else.
    func names() async throws -> IdentityNames {
        do throws(CloudTransportError) {
            var names = IdentityNames(currentUser: try await connection.currentUserName(options))
            names.shareLinks = ShareLinks(base: connection.transport.shareLinkBase)
            return names
        } catch {
            throw failure(error, isMutating: false)
        }
    }

    /// The same for calls that change something, which everybody must be signed in for.
    func writersNames() async throws -> IdentityNames {
        let names = try await names()
        guard names.currentUser != nil else { throw NSError.cloudKit(.notAuthenticated, "Nobody is signed in.") }
        return names
    }

    func failure(_ error: CloudTransportError, isMutating: Bool) -> NSError {
        .cloudKit(error, container: connection.containerIdentifier, isMutating: isMutating)
    }

    /// Refuses what cannot be done in this database, before any network.
    func require(_ scopes: Set<DatabaseScope>, _ what: String) throws {
        guard scopes.contains(scope) else {
            throw NSError.cloudKit(.badDatabase, "\(what) in the \(scope.rawValue) database.")
        }
    }

    static func checkCount(_ count: Int) throws {
        guard count <= CloudLimits.itemsPerRequest else {
            throw NSError.cloudKit(
                .limitExceeded,
                "Your request contains \(count) items which is more than the maximum number of items in a single "
                    + "request (\(CloudLimits.itemsPerRequest))")
        }
    }
}

/// What became of each item, in the order of the request.
typealias ItemResults<ID, Value> = [(ID, Result<Value, any Error>)]
