/// Why a request, or one item of it, was refused.
public struct CloudError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The codes of CloudKit Web Services. Clients stop on words they do not know, so there are no others.
    public enum Code: String, Hashable, Sendable, CaseIterable {
        case accessDenied = "ACCESS_DENIED"
        case atomicError = "ATOMIC_ERROR"
        case authenticationFailed = "AUTHENTICATION_FAILED"
        case authenticationRequired = "AUTHENTICATION_REQUIRED"
        case badRequest = "BAD_REQUEST"
        case conflict = "CONFLICT"
        case exists = "EXISTS"
        case internalError = "INTERNAL_ERROR"
        case notFound = "NOT_FOUND"
        case quotaExceeded = "QUOTA_EXCEEDED"
        case throttled = "THROTTLED"
        case tryAgainLater = "TRY_AGAIN_LATER"
        /// A value that must differ in all records is there already. Stratus has no such fields; other services do.
        case uniqueFieldError = "UNIQUE_FIELD_ERROR"
        case validatingReferenceError = "VALIDATING_REFERENCE_ERROR"
        /// Others change the zone all the time. Stratus never says it, as its writes wait for one another; other services do.
        case zoneBusy = "ZONE_BUSY"
        case zoneNotFound = "ZONE_NOT_FOUND"

        /// The HTTP status when a whole request is refused.
        public var httpStatus: Int {
            switch self {
            case .atomicError, .badRequest: 400
            case .authenticationFailed: 401
            case .accessDenied: 403
            case .notFound, .zoneNotFound: 404
            case .conflict, .exists, .uniqueFieldError: 409
            case .validatingReferenceError: 412
            case .quotaExceeded: 413
            case .authenticationRequired: 421
            case .throttled: 429
            case .internalError: 500
            case .tryAgainLater, .zoneBusy: 503
            }
        }

        /// Whether the same request may be taken later.
        public var passes: Bool { self == .throttled || self == .tryAgainLater || self == .zoneBusy }
    }

    /// What distinguishes an error from others of its code, where clients must know: the codes of Apple's protocol are
    /// a closed list.
    public enum ExtensionCode: String, Hashable, Sendable, CaseIterable {
        /// A sync token that cannot be continued; begin without one.
        case changeTokenExpired = "CHANGE_TOKEN_EXPIRED"
        /// A zone that is gone because the user removed the app's data.
        case userDeletedZone = "USER_DELETED_ZONE"
        /// A zone that is gone because the user's keys were given up; make it again and send its data.
        case userDidResetEncryptedData = "USER_DID_RESET_ENCRYPTED_DATA"
        /// A record or zone that belongs to a share already, so that it cannot be shared once more.
        case alreadyShared = "ALREADY_SHARED"
        /// A share with more participants than ``ModelLimits/participantsPerShare``.
        case tooManyParticipants = "TOO_MANY_PARTICIPANTS"
        /// Values were encrypted with other keys than those of what their records belong to; ask for these and encrypt again.
        case encryptionKeysChanged = "ENCRYPTION_KEYS_CHANGED"
        /// A request that is larger than the server takes; send it in smaller ones.
        case limitExceeded = "LIMIT_EXCEEDED"
        /// Somebody was removed from a share, whose owner has not replaced its keys yet.
        case encryptionKeysRevoked = "ENCRYPTION_KEYS_REVOKED"
    }

    /// What kind of refusal this is.
    public var code: Code
    /// Which refusal of its kind.
    public var extensionCode: ExtensionCode?
    /// The number of the CloudKit code that a client in the same process is to be told instead, for faults that tests
    /// inject. No service says it, and it is never on the wire.
    public var clientCode: UInt8?
    /// For people; names the operation, record, field and limit in question, and never a value.
    public var reason: String
    /// Seconds after which a retry makes sense.
    public var retryAfter: Int?
    /// The stored record, for ``Code/conflict`` and ``Code/exists``.
    public var serverRecord: Boxed<Record>?

    /// Makes an error.
    public init(
        _ code: Code, _ reason: String, extensionCode: ExtensionCode? = nil, retryAfter: Int? = nil,
        serverRecord: Record? = nil
    ) {
        self.code = code
        self.extensionCode = extensionCode
        self.reason = reason
        self.retryAfter = retryAfter
        self.serverRecord = serverRecord.map { Boxed($0) }
    }

    /// Code and reason.
    public var description: String { "\(code.rawValue): \(reason)" }
}

/// A large value behind one pointer, so that what carries it stays small.
public final class Boxed<Value: Hashable & Sendable>: Hashable, Sendable {
    /// The value.
    public let value: Value

    /// Puts a value behind a pointer.
    public init(_ value: Value) { self.value = value }

    /// Whether the values are equal.
    public static func == (left: Boxed, right: Boxed) -> Bool { left.value == right.value }

    /// Hashes the value.
    public func hash(into hasher: inout Hasher) { hasher.combine(value) }
}
