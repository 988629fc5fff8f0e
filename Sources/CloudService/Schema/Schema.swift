import CloudModel

/// The record types of a container in one environment.
struct Schema: Hashable, Sendable {
    /// Grows with every change.
    var version: UInt64 = 0
    var recordTypes: [String: RecordTypeSchema] = [:]
    /// The next number that an indexed field gets.
    var nextIndexNumber: UInt64 = 1
}

/// One record type.
struct RecordTypeSchema: Hashable, Sendable {
    var name: String
    var fields: [String: FieldSchema] = [:]
    /// Indexes on what every record has. A field without an entry has no index.
    var systemFields: [SystemField: FieldIndex] = [:]
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
    }

    var kinds: Kinds
    var number: IndexNumber

    /// All that a field of this type can have: what development gives every new field.
    static func allKinds(for type: FieldType) -> Kinds {
        guard !type.isEncrypted else { return [] }
        switch (type.scalar, type.isList) {
        case (.bytes, _), (.asset, _): return []
        case (.string, false): return [.queryable, .sortable, .searchable]
        case (.string, true): return [.queryable, .searchable]
        case (.location, false): return [.queryable]
        case (.location, true): return []
        case (_, true): return [.queryable]
        case (.reference, false): return [.queryable]
        case (_, false): return [.queryable, .sortable]
        }
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

    /// What a new record type starts with.
    static let defaults = [
        Grant(permission: .write, role: creator), Grant(permission: .create, role: signedIn),
        Grant(permission: .read, role: world),
    ]
}
