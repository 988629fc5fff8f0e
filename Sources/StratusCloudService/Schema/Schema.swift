import StratusCloudModel

/// The record types of a container in one environment.
struct Schema: Hashable, Sendable {
    private struct Parts: Hashable, Sendable {
        var version: UInt64 = 0
        var recordTypes: [String: RecordTypeSchema] = [:] {
            didSet { indexMemory = IndexMemory() }
        }
        var nextIndexNumber: UInt64 = 1
        var roles: Set<String> = []
        var members: [String: Set<String>] = [:]
        var droppedIndexes: [IndexNumber] = []
        var isBeingReset = false
        var frozen = SchemaParts()
        var epoch: UInt64 = 0
        var indexMemory = IndexMemory()
    }

    private var parts = CopyOnWrite(Parts())

    /// Grows with every change.
    var version: UInt64 {
        _read { yield parts.value.version }
        _modify { yield &parts.value.version }
    }
    /// By name.
    var recordTypes: [String: RecordTypeSchema] {
        _read { yield parts.value.recordTypes }
        _modify { yield &parts.value.recordTypes }
    }
    /// The next number that an indexed field gets.
    var nextIndexNumber: UInt64 {
        _read { yield parts.value.nextIndexNumber }
        _modify { yield &parts.value.nextIndexNumber }
    }
    /// The roles that the app made, beside those of the system.
    var roles: Set<String> {
        _read { yield parts.value.roles }
        _modify { yield &parts.value.roles }
    }
    /// Who has which of these roles, by user record name.
    var members: [String: Set<String>] {
        _read { yield parts.value.members }
        _modify { yield &parts.value.members }
    }
    /// Numbers of former indexes whose entries are still to be cleared.
    var droppedIndexes: [IndexNumber] {
        _read { yield parts.value.droppedIndexes }
        _modify { yield &parts.value.droppedIndexes }
    }
    /// Whether everything in the environment's databases is being deleted: nothing is saved meanwhile.
    var isBeingReset: Bool {
        _read { yield parts.value.isBeingReset }
        _modify { yield &parts.value.isBeingReset }
    }
    /// What may not be saved for the moment; not stored. See ``SchemaCatalog/freeze(_:in:)``.
    var frozen: SchemaParts {
        _read { yield parts.value.frozen }
        _modify { yield &parts.value.frozen }
    }
    /// Tells apart the states that the catalog had since the start; not stored.
    var epoch: UInt64 {
        _read { yield parts.value.epoch }
        _modify { yield &parts.value.epoch }
    }
    /// What follows from the record types; not stored.
    var indexMemory: IndexMemory {
        _read { yield parts.value.indexMemory }
        _modify { yield &parts.value.indexMemory }
    }

    /// What the indexes of a record type are about; nil if there is no such type.
    func indexedFields(ofType name: String) -> IndexedFields? {
        recordTypes[name].map { indexMemory.fields(of: $0) }
    }
}

/// Some record types, and fields of others.
struct SchemaParts: Hashable, Sendable {
    var recordTypes: Set<String> = []
    /// By record type.
    var fields: [String: Set<String>] = [:]

    var isEmpty: Bool { recordTypes.isEmpty && fields.isEmpty }

    mutating func insert(field: String, of recordType: String) { fields[recordType, default: []].insert(field) }

    mutating func formUnion(_ other: SchemaParts) {
        recordTypes.formUnion(other.recordTypes)
        fields.merge(other.fields) { $0.union($1) }
    }
}

/// One record type.
struct RecordTypeSchema: Hashable, Sendable {
    var name: String
    var fields: [String: FieldSchema] = [:]
    /// Indexes on what every record has. A field without an entry has no index.
    var systemFields: [SystemField: FieldIndex] = [:]
    /// Indexes on them that are being built.
    var systemFieldsBuilding: [SystemField: FieldIndex] = [:]
    /// Who may do what with records of this type in the public database.
    var grants: [Grant] = Grant.defaults
}

extension RecordTypeSchema {
    /// The field of ``users`` that says which roles a person has; only the operator sets it.
    static let rolesField = "roles"

    /// The type of users' records, which every schema has.
    static let users = RecordTypeSchema(
        name: SystemRecordType.users,
        fields: [rolesField: FieldSchema(name: rolesField, type: FieldType(.int64, isList: true))],
        grants: [Grant(permission: .write, role: Grant.creator), Grant(permission: .read, role: Grant.world)])
}

/// One field of a record type.
struct FieldSchema: Hashable, Sendable {
    var name: String
    var type: FieldType
    /// nil for a field without any index.
    var index: FieldIndex?
    /// What takes the place of the index as soon as it has an entry for each record: kept by every save from the
    /// beginning, and asked by no query before the end.
    var building: FieldIndex?

    /// The indexes that it has, or will have.
    var wantedKinds: FieldIndex.Kinds { building?.kinds ?? index?.kinds ?? [] }
}

extension RecordTypeSchema {
    /// The indexes that a system field has, or will have.
    func wantedKinds(of field: SystemField) -> FieldIndex.Kinds {
        systemFieldsBuilding[field]?.kinds ?? systemFields[field]?.kinds ?? []
    }

    /// Whether any of its indexes is being built.
    var isBuilding: Bool { !systemFieldsBuilding.isEmpty || fields.values.contains { $0.building != nil } }
}

/// Which questions a field's index can answer.
struct FieldIndex: Hashable, Sendable {
    /// The options of the schema language.
    struct Kinds: OptionSet, Hashable, Sendable {
        let rawValue: UInt8

        /// Equality, membership, prefix and, for locations, distance.
        static let queryable = Kinds(rawValue: 1)
        /// Ranges and order.
        static let sortable = Kinds(rawValue: 2)
        /// Words of a text.
        static let searchable = Kinds(rawValue: 4)

        static let all: Kinds = [.queryable, .sortable, .searchable]
    }

    var kinds: Kinds
    var number: IndexNumber

    /// All that a field of this type can have: what development gives every new field.
    static func allKinds(for type: FieldType) -> Kinds {
        guard !type.isEncrypted else { return [] }
        switch (type.scalar, type.isList) {
        case (.asset, _): return []
        case (.string, false): return [.queryable, .sortable, .searchable]
        case (.string, true): return [.queryable, .searchable]
        case (.location, false): return [.queryable]
        case (.location, true): return []
        case (_, true): return [.queryable]
        case (.reference, false): return [.queryable]
        case (_, false): return [.queryable, .sortable]
        }
    }

    /// All that the schema language takes for a field of this type. Of a place, `SORTABLE` is its order by distance,
    /// which `QUERYABLE` has as well; exported schemas say both.
    static func possibleKinds(for type: FieldType) -> Kinds {
        let isPlace = type.scalar == .location && !type.isList && !type.isEncrypted
        return isPlace ? [.queryable, .sortable] : allKinds(for: type)
    }
}

/// A right that a role has on a record type in the public database.
struct Grant: Hashable, Sendable {
    enum Permission: String, Hashable, Sendable, CaseIterable {
        case read = "READ"
        case create = "CREATE"
        case write = "WRITE"
    }

    var permission: Permission
    var role: String

    static let world = "_world"
    static let signedIn = "_icloud"
    static let creator = "_creator"
    /// The roles that everybody has without being a member.
    static let systemRoles = [creator, signedIn, world]

    /// What a new record type starts with.
    static let defaults = [
        Grant(permission: .write, role: creator), Grant(permission: .create, role: signedIn),
        Grant(permission: .read, role: world),
    ]
}
