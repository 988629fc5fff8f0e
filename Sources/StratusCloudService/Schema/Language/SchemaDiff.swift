import StratusCloudModel

/// What tells two schemas apart, in the order in which it is printed.
public struct SchemaDiff: Hashable, Sendable {
    /// One difference.
    public enum Change: Hashable, Sendable {
        case roleAdded(String)
        case roleRemoved(String)
        case recordTypeAdded(String)
        case recordTypeRemoved(String)
        /// `type` is in the words of the language, indexes included.
        case fieldAdded(recordType: String, field: String, type: String)
        case fieldRemoved(recordType: String, field: String, type: String)
        case fieldTypeChanged(recordType: String, field: String, from: String, to: String)
        /// `indexes` are words of the language.
        case indexesAdded(recordType: String, field: String, indexes: [String])
        case indexesRemoved(recordType: String, field: String, indexes: [String])
        case grantAdded(recordType: String, permission: String, role: String)
        case grantRemoved(recordType: String, permission: String, role: String)
    }

    /// Roles first, then record types by name, what a new type holds behind it.
    public var changes: [Change] = []

    /// Whether both are the same.
    public var isEmpty: Bool { changes.isEmpty }
}

extension SchemaDiff {
    /// What makes `new` of `old`.
    init(from old: SchemaDocument, to new: SchemaDocument) {
        let (old, new) = (old.canonical, new.canonical)
        changes += new.roles.filter { !old.roles.contains($0) }.map(Change.roleAdded)
        changes += old.roles.filter { !new.roles.contains($0) }.map(Change.roleRemoved)
        let before = Dictionary(old.recordTypes.map { ($0.name, $0) }) { first, _ in first }
        let after = Dictionary(new.recordTypes.map { ($0.name, $0) }) { first, _ in first }
        for name in Set(before.keys).union(after.keys).sorted() {
            switch (before[name], after[name]) {
            case (let was?, let will?): compare(was, will)
            case (nil, let will?):
                changes.append(.recordTypeAdded(name))
                compare(SchemaDocument.RecordType(name: name), will)
            case (_?, nil): changes.append(.recordTypeRemoved(name))
            case (nil, nil): break
            }
        }
    }

    private mutating func compare(_ old: SchemaDocument.RecordType, _ new: SchemaDocument.RecordType) {
        let before = Dictionary(old.fields.map { ($0.name, $0) }) { first, _ in first }
        let after = Dictionary(new.fields.map { ($0.name, $0) }) { first, _ in first }
        for declaration in SystemFieldDeclaration.all {
            guard let field = declaration.field else { continue }
            compare(old.systemFields[field] ?? [], new.systemFields[field] ?? [], new.name, declaration.name)
        }
        for name in Set(before.keys).union(after.keys).sorted() {
            switch (before[name], after[name]) {
            case (let was?, let will?):
                if !will.fits(was.type) {
                    changes.append(
                        .fieldTypeChanged(recordType: new.name, field: name, from: was.typeText, to: will.typeText))
                }
                compare(was.kinds, will.kinds, new.name, name)
            case (nil, let will?):
                changes.append(.fieldAdded(recordType: new.name, field: name, type: will.declaration))
            case (let was?, nil):
                changes.append(.fieldRemoved(recordType: new.name, field: name, type: was.declaration))
            case (nil, nil): break
            }
        }
        changes += new.grants.filter { !old.grants.contains($0) }.map {
            .grantAdded(recordType: new.name, permission: $0.permission.rawValue, role: $0.role)
        }
        changes += old.grants.filter { !new.grants.contains($0) }.map {
            .grantRemoved(recordType: new.name, permission: $0.permission.rawValue, role: $0.role)
        }
    }

    private mutating func compare(
        _ old: FieldIndex.Kinds, _ new: FieldIndex.Kinds, _ recordType: String, _ field: String
    ) {
        let (added, removed) = (new.subtracting(old), old.subtracting(new))
        if !added.isEmpty {
            changes.append(.indexesAdded(recordType: recordType, field: field, indexes: added.words))
        }
        if !removed.isEmpty {
            changes.append(.indexesRemoved(recordType: recordType, field: field, indexes: removed.words))
        }
    }
}

extension SchemaDocument.Field {
    /// Type and indexes as the language writes them.
    fileprivate var declaration: String { kinds.isEmpty ? typeText : "\(typeText) \(kinds.text)" }
}

extension SchemaDiff: CustomStringConvertible {
    /// For people: a line for each change, under its record type.
    public var description: String {
        var lines: [String] = []
        var current: String?
        for change in changes {
            if let type = change.changedRecordType {
                if type != current, !lines.contains("+ RECORD TYPE \(type)") { lines.append("~ RECORD TYPE \(type)") }
                current = type
            }
            lines.append(change.description)
        }
        return lines.joined(separator: "\n")
    }
}

extension SchemaDiff.Change: CustomStringConvertible {
    /// One line, indented if it is about a part of a record type.
    public var description: String {
        switch self {
        case .roleAdded(let role): "+ ROLE \(role)"
        case .roleRemoved(let role): "- ROLE \(role)"
        case .recordTypeAdded(let type): "+ RECORD TYPE \(type)"
        case .recordTypeRemoved(let type): "- RECORD TYPE \(type)"
        case .fieldAdded(_, let field, let type): "    + \(field) \(type)"
        case .fieldRemoved(_, let field, let type): "    - \(field) \(type)"
        case .fieldTypeChanged(_, let field, let from, let to): "    ! \(field) \(from) -> \(to)"
        case .indexesAdded(_, let field, let indexes): "    + \(field): \(indexes.joined(separator: ", "))"
        case .indexesRemoved(_, let field, let indexes): "    - \(field): \(indexes.joined(separator: ", "))"
        case .grantAdded(_, let permission, let role): "    + GRANT \(permission) TO \"\(role)\""
        case .grantRemoved(_, let permission, let role): "    - GRANT \(permission) TO \"\(role)\""
        }
    }

    /// The record type that the change is a part of; nil where it is about a role or a type as a whole.
    fileprivate var changedRecordType: String? {
        switch self {
        case .roleAdded, .roleRemoved, .recordTypeAdded, .recordTypeRemoved: nil
        case .fieldAdded(let type, _, _), .fieldRemoved(let type, _, _), .fieldTypeChanged(let type, _, _, _),
            .indexesAdded(let type, _, _), .indexesRemoved(let type, _, _), .grantAdded(let type, _, _),
            .grantRemoved(let type, _, _):
            type
        }
    }
}
