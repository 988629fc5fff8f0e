import Foundation
import StratusSQLite

/// Changes the tables of a store file from one version of a model to another, by SQL, so that memory does not limit the
/// size of the store. The caller's transaction makes the change whole or not at all.
///
/// Rows keep their keys, so that IDs of objects stay valid.
struct StoreTransformation {
    let file: StoreFile
    let mapping: MappingInference
    let source: StoreLayout
    let destination: StoreLayout
    /// The names that the tables of the source have while rows are copied.
    private let formerNames: [String: String]

    init(_ mapping: MappingInference, in file: StoreFile, external: ExternalFiles?) throws {
        self.file = file
        self.mapping = mapping
        source = try StoreLayout(mapping.source, numbers: try file.entityNumbers(), external: external)
        destination = try StoreLayout(mapping.destination, external: external)
        formerNames = Dictionary(
            source.tables.enumerated().map { ($1.name, "stratus_former_\($0)") }, uniquingKeysWith: { $1 })
        try file.check(source)
    }

    /// The pairs of entities, in the order of the names.
    var pairs: [MappingInference.Pair] {
        mapping.pairs.sorted { $0.key < $1.key }.map(\.value)
    }

    func run() throws {
        try moveFormerTables()
        for table in destination.tables { try file.create(table) }
        let inline = try InlineExternalData(source.external, in: file)
        for pair in pairs { try copyRows(pair) }
        try inline.check()
        try copyRelationships()
        for name in formerNames.values.sorted() { try file.connection.execute("DROP TABLE \(quoted(name))") }
        try clearReferences()
        try MandatoryValues(self).check()
        try createIndexes()
        try changeNumbers()
        if try HistoryTables.exist(in: file) { try HistoryTransformation(self).run() }
        try computeDerived()
    }

    /// The name that a table of the source has now.
    func former(_ table: String) -> String { quoted(formerNames[table] ?? table) }

    /// Triggers of a Mac's file, which call functions of Apple's Core Data, would keep the tables from being renamed.
    private func moveFormerTables() throws {
        let triggers = try file.statement("SELECT name, tbl_name FROM sqlite_master WHERE type = 'trigger'").all {
            ($0.text(0) ?? "", $0.text(1) ?? "")
        }
        for (name, table) in triggers where formerNames[table] != nil {
            try file.connection.execute("DROP TRIGGER \(quoted(name))")
        }
        try file.dropRTrees()
        for (name, former) in formerNames.sorted(by: { $0.key < $1.key }) {
            try file.connection.execute("ALTER TABLE \(quoted(name)) RENAME TO \(quoted(former))")
        }
    }

    private func copyRows(_ pair: MappingInference.Pair) throws {
        let entity = try destination.entity(pair.destination.name ?? "")
        let former = try source.entity(pair.source.name ?? "")
        let rows = "FROM \(self.former(former.table)) t WHERE t.Z_ENT = \(former.number)"
        guard !entity.isAbstract else {
            let isEmpty = try file.connection.prepare("SELECT 1 \(rows) LIMIT 1").first { _ in true } == nil
            guard isEmpty else {
                throw Self.error("the entity is abstract now and has objects", entity.name, nil)
            }
            return
        }
        var columns = ["Z_PK", "Z_ENT", "Z_OPT"]
        var values = ["t.Z_PK", "\(entity.number)", "t.Z_OPT"]
        var parameters: [SQLiteValue] = []
        for property in entity.properties {
            let copied = ColumnCopy(property, pair, former)
            for (column, value) in try copied.columns() {
                columns.append(quoted(column))
                values.append(value.sql)
                if let parameter = value.parameter { parameters.append(parameter) }
            }
        }
        try file.connection.prepare(
            "INSERT INTO \(quoted(entity.table)) (\(columns.joined(separator: ", "))) "
                + "SELECT \(values.joined(separator: ", ")) \(rows)"
        ).forEach(binding: parameters) { _ in true }
    }

    private func createIndexes() throws {
        for table in destination.tables {
            do {
                try file.createIndexes(of: table)
            } catch let error as SQLiteError where error.code == .constraint {
                throw CocoaError.make(
                    .migrationConstraintViolation, "values that must be unique are not: \(error.description)")
            }
        }
    }

    private func changeNumbers() throws {
        let last = try file.statement("SELECT Z_NAME, Z_MAX FROM Z_PRIMARYKEY").all {
            ($0.text(0) ?? "", $0.integer(1) ?? 0)
        }
        let lastKeys = Dictionary(last, uniquingKeysWith: max)
        var changed: [String: Int64] = [:]
        for pair in pairs {
            let root = try destination.entity(pair.destination.name ?? "").root
            let formerRoot = try source.entity(pair.source.name ?? "").root
            changed[root] = max(changed[root] ?? 0, lastKeys[formerRoot] ?? 0)
        }
        for number in source.byNumber.keys {
            try file.statement("DELETE FROM Z_PRIMARYKEY WHERE Z_ENT = ?").run(number)
        }
        try file.insertNumbers(of: destination, lastKeys: changed)
    }

    /// Computes the values of derived attributes that have another source than before.
    private func computeDerived() throws {
        for (entity, derived) in try destination.derivedInOrder() {
            guard let pair = mapping.pairs[entity.name] else { continue }
            let name = entity.properties[derived.position].name
            let former = pair.properties[name].flatMap { pair.source.attributesByName[$0] }
            let attribute = pair.destination.attributesByName[name] as? NSDerivedAttributeDescription
            let isSame =
                (former as? NSDerivedAttributeDescription)?.expression?.description
                == attribute?.expression?.description
            guard former == nil || !isSame else { continue }
            try DerivedColumns(RowChanges(), destination, file).computeAll(derived, of: entity)
        }
    }

    static func error(_ reason: String, _ entity: String, _ property: String?) -> NSError {
        var info: [String: Any] = ["reason": reason, "entity": entity]
        if let property { info["attribute"] = property }
        let name = [entity, property].compactMap { $0 }.joined(separator: ".")
        return CocoaError.make(.migration, "'\(name)': \(reason)", info)
    }
}
