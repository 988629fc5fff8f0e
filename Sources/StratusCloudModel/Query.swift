/// A question about the records of one type. Filters are joined by AND.
public struct Query: Hashable, Sendable {
    /// The type asked about.
    public var recordType: String
    /// Conditions that must all hold.
    public var filters: [Filter]
    /// Sort keys, the most significant first.
    public var sorts: [Sort]

    /// Makes a query; without filters it is about all records of the type.
    public init(recordType: String, filters: [Filter] = [], sorts: [Sort] = []) {
        self.recordType = recordType
        self.filters = filters
        self.sorts = sorts
    }
}

/// A field that a filter or a sort is about.
public enum QueryField: Hashable, Sendable {
    case named(String)
    case system(SystemField)
}

/// What every record has beside its fields and can be asked for.
public enum SystemField: String, Hashable, Sendable, CaseIterable {
    // The raw values are the names of the schema language; they are stored.
    case recordName = "___recordID"
    case createdUserRecordName = "___createdBy"
    case createdTimestamp = "___createTime"
    case modifiedUserRecordName = "___modifiedBy"
    case modifiedTimestamp = "___modTime"
    case parent = "___parent"
    case share = "___share"

    /// The name used by `systemFieldName` on the wire, and in messages.
    public var wireName: String {
        switch self {
        case .recordName: "recordName"
        case .createdUserRecordName: "createdUserRecordName"
        case .createdTimestamp: "createdTimestamp"
        case .modifiedUserRecordName: "modifiedUserRecordName"
        case .modifiedTimestamp: "modifiedTimestamp"
        case .parent: "parent"
        case .share: "share"
        }
    }

    /// Finds a system field by either of its spellings.
    public init?(anySpelling name: String) {
        if let field = SystemField(rawValue: name) {
            self = field
        } else if name == "___recordId" {
            self = .recordName
        } else if let field = Self.allCases.first(where: { $0.wireName == name }) {
            self = field
        } else {
            return nil
        }
    }

    /// The type its values have in filters.
    public var type: ScalarType {
        switch self {
        case .recordName, .createdUserRecordName, .modifiedUserRecordName, .parent, .share: .reference
        case .createdTimestamp, .modifiedTimestamp: .timestamp
        }
    }
}

/// How a filter compares a field with its value.
public enum Comparator: String, Hashable, Sendable, CaseIterable {
    case equals = "EQUALS"
    case notEquals = "NOT_EQUALS"
    case lessThan = "LESS_THAN"
    case lessThanOrEquals = "LESS_THAN_OR_EQUALS"
    case greaterThan = "GREATER_THAN"
    case greaterThanOrEquals = "GREATER_THAN_OR_EQUALS"
    case near = "NEAR"
    case `in` = "IN"
    case notIn = "NOT_IN"
    case containsAllTokens = "CONTAINS_ALL_TOKENS"
    case containsAnyTokens = "CONTAINS_ANY_TOKENS"
    case listContains = "LIST_CONTAINS"
    case notListContains = "NOT_LIST_CONTAINS"
    case listContainsAny = "LIST_CONTAINS_ANY"
    case notListContainsAny = "NOT_LIST_CONTAINS_ANY"
    case listContainsAll = "LIST_CONTAINS_ALL"
    case notListContainsAll = "NOT_LIST_CONTAINS_ALL"
    case beginsWith = "BEGINS_WITH"
    case notBeginsWith = "NOT_BEGINS_WITH"
    case listMemberBeginsWith = "LIST_MEMBER_BEGINS_WITH"
    case notListMemberBeginsWith = "NOT_LIST_MEMBER_BEGINS_WITH"
}

/// One condition.
public struct Filter: Hashable, Sendable {
    /// How the field is compared with the value.
    public var comparator: Comparator
    /// nil only for token search, where it means all searchable fields.
    public var field: QueryField?
    /// What the field is compared with.
    public var value: FieldInput
    /// Metres; for ``Comparator/near``.
    public var distance: Double?

    /// Makes a condition.
    public init(_ comparator: Comparator, _ field: QueryField?, _ value: FieldInput, distance: Double? = nil) {
        self.comparator = comparator
        self.field = field
        self.value = value
        self.distance = distance
    }
}

/// One sort key.
public struct Sort: Hashable, Sendable {
    /// The field to sort by.
    public var field: QueryField
    /// Smallest first.
    public var ascending: Bool
    /// Sort by distance from here, nearest first; the field must be a location.
    public var relativeLocation: Location?

    /// Makes a sort key.
    public init(_ field: QueryField, ascending: Bool = true, relativeLocation: Location? = nil) {
        self.field = field
        self.ascending = ascending
        self.relativeLocation = relativeLocation
    }
}

/// `records/query`.
public struct QueryRecordsRequest: Hashable, Sendable {
    /// The question.
    public var query: Query
    /// nil means the default zone, unless ``zoneWide``.
    public var zoneID: ZoneID?
    /// All zones of the database; ignored when a zone is given.
    public var zoneWide: Bool
    /// 1 to ``ModelLimits/recordsPerResponse``, which is also the default.
    public var resultsLimit: Int?
    /// Where the previous page ended.
    public var continuationMarker: String?
    /// Fields wanted back; nil means all, an empty list none.
    public var desiredKeys: [String]?

    /// Makes a request for a page.
    public init(
        query: Query, zoneID: ZoneID? = nil, zoneWide: Bool = false, resultsLimit: Int? = nil,
        continuationMarker: String? = nil, desiredKeys: [String]? = nil
    ) {
        self.query = query
        self.zoneID = zoneID
        self.zoneWide = zoneWide
        self.resultsLimit = resultsLimit
        self.continuationMarker = continuationMarker
        self.desiredKeys = desiredKeys
    }
}

/// A page of a query's answer.
public struct QueryRecordsPage: Hashable, Sendable {
    /// The records of the page, in order.
    public var records: [Record]
    /// Where to go on; nil when there is nothing more. A page with a marker may be short, or empty.
    public var continuationMarker: String?

    /// Makes a page.
    public init(records: [Record], continuationMarker: String? = nil) {
        self.records = records
        self.continuationMarker = continuationMarker
    }
}
