import StratusCloudModel
import StratusCloudService

/// What the operator does with schemas. `by` says who it is.
public enum ControlSchemaRequest: Codable, Hashable, Sendable {
    /// Makes development's schema what a text says. A trial changes nothing.
    case importText(context: ControlContext, text: String, by: String, isTrial: Bool)
    /// What a text has unlike a context.
    case compare(context: ControlContext, text: String)
    /// What development has unlike production.
    case difference(container: String)
    /// Brings development's schema to production. A trial changes nothing.
    case deploy(container: String, name: String, by: String, expecting: String?, isTrial: Bool)
    case history(context: ControlContext)
    /// Takes back what a change added.
    case rollBack(context: ControlContext, number: UInt64, by: String)
    /// Deletes development's data, and gives it production's schema.
    case reset(container: String, by: String)
    case indexes(context: ControlContext)
    /// Lists the record types with their fields.
    case recordTypes(context: ControlContext)
    case listRoles(context: ControlContext)
    case createRole(context: ControlContext, role: String, by: String)
    case deleteRole(context: ControlContext, role: String, by: String)
    case listMembers(context: ControlContext, role: String)
    /// `user` is an account's e-mail address or a user record name.
    case setMembership(context: ControlContext, role: String, user: String, isMember: Bool)
}

/// A change of a schema, made or looked at.
public struct ControlSchemaChange: Codable, Hashable, Sendable {
    /// For people, a line for each change; empty where there is none.
    public var text: String
    /// The same for programs.
    public var changes: [Change]
    /// Records that a deployment builds indexes from, by record type; of a trial only.
    public var recordsToIndex: [String: Int]

    /// One change; what it has not is nil.
    public struct Change: Codable, Hashable, Sendable {
        /// Such as `fieldAdded`.
        public var change: String
        /// The record type that changes, or comes or goes.
        public var recordType: String?
        /// The field of it.
        public var field: String?
        /// The field's type with its indexes; after the change, where it changes.
        public var type: String?
        /// The field's former type.
        public var formerType: String?
        /// Words of the language.
        public var indexes: [String]?
        /// `READ`, `CREATE` or `WRITE`.
        public var permission: String?
        /// The role that comes or goes, or is granted something.
        public var role: String?
    }

    init(_ diff: SchemaDiff, recordsToIndex: [String: Int] = [:]) {
        text = diff.description
        changes = diff.changes.map(Change.init)
        self.recordsToIndex = recordsToIndex
    }
}

/// A change in the history of a schema.
public struct ControlHistoryEntry: Codable, Hashable, Sendable {
    /// Names it.
    public var number: UInt64
    /// `apply`, `import`, `deploy`, `rollback` or `reset`.
    public var kind: String
    /// What the operator called it; may be empty.
    public var name: String
    /// Who did it; empty if that is not known.
    public var by: String
    /// Milliseconds since 1970-01-01 UTC.
    public var time: Int64
    /// What changed, in lines.
    public var diff: String

    init(_ entry: SchemaHistoryEntry) {
        number = entry.number
        kind = entry.kind.rawValue
        name = entry.name
        by = entry.by
        time = entry.time
        diff = entry.diff
    }
}

/// A record type of a schema, with the fields that apps save.
public struct ControlRecordType: Codable, Hashable, Sendable {
    /// A field of a record type.
    public struct Field: Codable, Hashable, Sendable {
        /// The field's name.
        public var name: String
        /// The type of the value, or of the elements of a list, in the words of the schema language.
        public var scalar: String
        /// Whether the field holds a list.
        public var isList: Bool
        /// Whether devices encrypt the field.
        public var isEncrypted: Bool
    }

    /// The name of the record type.
    public var name: String
    /// The fields, by name.
    public var fields: [Field]

    init(_ type: SchemaDescription.RecordType) {
        name = type.name
        fields = type.fields.filter { !$0.isSystem }.map { field in
            let isList = field.type.hasPrefix("LIST<")
            return Field(
                name: field.name, scalar: isList ? String(field.type.dropFirst(5).dropLast()) : field.type,
                isList: isList, isEncrypted: field.isEncrypted)
        }
    }
}

/// An index of a field.
public struct ControlIndex: Codable, Hashable, Sendable {
    /// The record type.
    public var recordType: String
    /// The field as the language names it.
    public var field: String
    /// Words of the language.
    public var kinds: [String]
    /// Whether queries can use it.
    public var isComplete: Bool
    /// Records that a build has taken up so far; nil unless it is under way.
    public var indexedRecords: UInt64?
    /// Records that it is built from; nil unless it is under way, and until they are counted.
    public var totalRecords: UInt64?

    init(_ index: CloudService.IndexState) {
        recordType = index.recordType
        field = index.field
        kinds = index.kinds
        isComplete = index.isComplete
        indexedRecords = index.indexedRecords
        totalRecords = index.totalRecords
    }
}

/// An API token or a server-to-server key.
public struct ControlCredential: Codable, Hashable, Sendable {
    /// Names it; no secret.
    public var id: String
    /// What the operator calls it.
    public var name: String
    /// Milliseconds since 1970-01-01 UTC.
    public var created: Int64
    /// Of a token.
    public var signInCallback: String?
    /// Of a token; empty allows any.
    public var allowedOrigins: [String]
    /// Of a key.
    public var userRecordName: String?

    init(_ summary: CredentialSummary) {
        id = summary.id
        name = summary.name
        created = summary.created
        signInCallback = summary.signInCallback
        allowedOrigins = summary.allowedOrigins
        userRecordName = summary.userRecordName
    }
}

extension ControlSchemaChange.Change {
    fileprivate init(_ change: SchemaDiff.Change) {
        switch change {
        case .roleAdded(let role): self.init(change: "roleAdded", role: role)
        case .roleRemoved(let role): self.init(change: "roleRemoved", role: role)
        case .recordTypeAdded(let type): self.init(change: "recordTypeAdded", recordType: type)
        case .recordTypeRemoved(let type): self.init(change: "recordTypeRemoved", recordType: type)
        case .fieldAdded(let recordType, let field, let type):
            self.init(change: "fieldAdded", recordType: recordType, field: field, type: type)
        case .fieldRemoved(let recordType, let field, let type):
            self.init(change: "fieldRemoved", recordType: recordType, field: field, type: type)
        case .fieldTypeChanged(let recordType, let field, let from, let to):
            self.init(change: "fieldTypeChanged", recordType: recordType, field: field, type: to, formerType: from)
        case .indexesAdded(let recordType, let field, let indexes):
            self.init(change: "indexesAdded", recordType: recordType, field: field, indexes: indexes)
        case .indexesRemoved(let recordType, let field, let indexes):
            self.init(change: "indexesRemoved", recordType: recordType, field: field, indexes: indexes)
        case .grantAdded(let recordType, let permission, let role):
            self.init(change: "grantAdded", recordType: recordType, permission: permission, role: role)
        case .grantRemoved(let recordType, let permission, let role):
            self.init(change: "grantRemoved", recordType: recordType, permission: permission, role: role)
        }
    }
}

extension ControlRequest {
    /// Whether it may leave indexes to be built.
    public var buildsIndexes: Bool {
        switch self {
        case .applySchema, .schema(.importText), .schema(.deploy), .schema(.rollBack): true
        default: false
        }
    }
}
