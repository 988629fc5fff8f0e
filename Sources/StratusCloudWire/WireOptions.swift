import StratusCloudModel

/// What a request says about the form of its answer, beside the request itself.
public struct WireOptions: Hashable, Sendable {
    /// INT64, DOUBLE and TIMESTAMP values travel as strings, for clients whose numbers are doubles.
    public var numbersAsStrings: Bool
    /// The answer should carry the zone's sync token. Set from the query parameter of that name, not from the body.
    public var getCurrentSyncToken: Bool

    /// Makes options; the default is what most clients want.
    public init(numbersAsStrings: Bool = false, getCurrentSyncToken: Bool = false) {
        self.numbersAsStrings = numbersAsStrings
        self.getCurrentSyncToken = getCurrentSyncToken
    }
}

/// A request and how its answer should look.
public struct Decoded<Request: Hashable & Sendable>: Hashable, Sendable {
    /// What is asked.
    public var request: Request
    /// The form of the answer.
    public var options: WireOptions

    /// Pairs a request with its options.
    public init(_ request: Request, options: WireOptions = WireOptions()) {
        self.request = request
        self.options = options
    }
}

/// What answers say that is not in the values themselves.
public struct WireContext: Sendable {
    /// The owner of zones whose identifier names none; nil where nobody is signed in, which answers show as
    /// `_defaultOwner`, since clients stop on a zone without an owner.
    public var callerRecordName: String?
    /// Names the request in errors and logs; a UUID. Errors without it are not recognized by some clients.
    public var requestUUID: String
    /// Shows an asset of a field of a record with the address of its bytes.
    public typealias AssetShower =
        @Sendable (_ asset: Asset, _ fieldName: String, _ recordName: String, _ zoneID: ZoneID) -> Asset
    /// How assets are shown; nil shows them as they are.
    public var showAsset: AssetShower?

    /// Makes the context of one request.
    public init(callerRecordName: String? = nil, requestUUID: String) {
        self.callerRecordName = callerRecordName
        self.requestUUID = requestUUID
    }
}
