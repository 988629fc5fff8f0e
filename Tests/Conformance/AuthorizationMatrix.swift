import StratusTestSupport

/// Everything somebody can ask for, with every credential, in every database; and what must come of it.
enum AuthorizationMatrix {
    /// What is shown to be let in.
    enum Identity: String, CaseIterable, Sendable {
        case nobody, apiToken, creator, otherUser, serverKey
        /// Good elsewhere, but not here.
        case productionToken, otherContainersToken, otherContainersUser, productionUser, unknownToken

        var isGoodHere: Bool {
            switch self {
            case .apiToken, .creator, .otherUser, .serverKey: true
            default: false
            }
        }
        var isUser: Bool { self == .creator || self == .otherUser }
    }

    /// What is asked.
    enum Action: String, CaseIterable, Sendable {
        case create, createOver, update, forceUpdate, forceUpdateNew, replace, forceReplace, forceReplaceNew
        case delete, forceDelete, lookup, query
        case listZones, lookupZones, createZone, deleteZone, deleteDefaultZone, zoneChanges
        case uploadAsset, uploadAssetNew

        /// Makes a record that was not there.
        var makes: Bool { [.create, .forceUpdateNew, .forceReplaceNew].contains(self) }
        /// Changes or deletes the creator's record.
        var writes: Bool {
            [.update, .forceUpdate, .replace, .forceReplace, .delete, .forceDelete].contains(self)
        }
    }

    /// What must come of it.
    enum Outcome: Equatable, Sendable, CustomStringConvertible {
        /// The answer holds what was asked for.
        case done
        /// The one item of the answer is refused with this code, and these words in the reason.
        case itemRefused(String, String)
        /// The request is refused as a whole.
        case refused(Int, String)
        /// The answer holds nothing.
        case empty
        /// Refused in any way; nothing is decided about the code.
        case notDone

        var description: String {
            switch self {
            case .done: "done"
            case .itemRefused(let code, _): "item \(code)"
            case .refused(let status, let code): "\(status) \(code)"
            case .empty: "empty"
            case .notDone: "not done"
            }
        }
    }

    /// One cell.
    struct Cell: Sendable, CustomStringConvertible {
        let identity: Identity
        let action: Action
        let scope: String

        var description: String { "\(identity) \(action) in \(scope) → \(outcome)" }

        /// What the reference and the default grants say: world reads, signed-in creates, creator writes.
        var outcome: Outcome {
            guard identity.isGoodHere else { return .refused(401, "AUTHENTICATION_FAILED") }
            switch scope {
            case "public": return inPublic
            case "private": return inPrivate
            default: return inShared
            }
        }

        private var inPublic: Outcome {
            switch action {
            case .createZone, .deleteZone, .deleteDefaultZone: return .itemRefused("BAD_REQUEST", "zone")
            case .lookup, .query, .listZones, .lookupZones: return .done
            case .zoneChanges: return .refused(400, "BAD_REQUEST")
            default: break
            }
            if identity == .apiToken { return .refused(421, "AUTHENTICATION_REQUIRED") }
            if action == .createOver {
                // Permission is judged first, so that a refusal tells nothing about the record.
                return identity == .creator
                    ? .itemRefused("EXISTS", "exists") : .itemRefused("ACCESS_DENIED", "operation not permitted")
            }
            if action.makes || action == .uploadAssetNew { return .done }
            return identity == .creator ? .done : .itemRefused("ACCESS_DENIED", "WRITE operation not permitted")
        }

        private var inPrivate: Outcome {
            guard identity.isUser else { return withoutUser }
            if action == .deleteDefaultZone { return .itemRefused("BAD_REQUEST", "_defaultZone") }
            if identity == .creator { return action == .createOver ? .itemRefused("EXISTS", "exists") : .done }
            // The other user's own database: the creator's record is as if it never was.
            switch action {
            case .update, .replace, .delete, .lookup: return .itemRefused("NOT_FOUND", "")
            case .query: return .empty
            case .deleteZone, .zoneChanges: return .itemRefused("ZONE_NOT_FOUND", "")
            case .lookupZones: return .done
            default: return .done
            }
        }

        private var inShared: Outcome {
            guard identity.isUser else { return withoutUser }
            return action == .listZones ? .empty : .notDone
        }

        private var withoutUser: Outcome {
            identity == .apiToken ? .refused(421, "AUTHENTICATION_REQUIRED") : .refused(403, "ACCESS_DENIED")
        }
    }

    /// All of them.
    static let cells: [Cell] = Identity.allCases.flatMap { identity in
        ["public", "private", "shared"].flatMap { scope in
            Action.allCases.map { Cell(identity: identity, action: $0, scope: scope) }
        }
    }
}
