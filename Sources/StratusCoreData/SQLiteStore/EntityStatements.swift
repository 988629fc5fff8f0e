import StratusSQLite

/// The SQL for single rows of an entity, made once for a store.
struct EntityStatements: Sendable {
    let reader: RowReader
    /// Selects the columns of ``reader``. The parameters are the primary key and the number of the entity.
    let select: String
    /// Selects the version. The parameters are the same.
    let version: String
    /// Inserts a row. The parameters are the primary key, the number of the entity, the version, and the columns of the
    /// properties in their order.
    let insert: String

    init(_ entity: EntityLayout, _ layout: StoreLayout) {
        let table = quoted(entity.table)
        let condition = "FROM \(table) t WHERE t.Z_PK = ? AND t.Z_ENT = ?"
        reader = RowReader([entity], layout)
        select = "SELECT \(reader.columns.joined(separator: ", ")) \(condition)"
        version = "SELECT t.Z_OPT \(condition)"
        let columns = ["Z_PK", "Z_ENT", "Z_OPT"] + entity.properties.flatMap(\.ownColumns)
        insert =
            "INSERT INTO \(table) (\(columns.map(quoted).joined(separator: ", "))) "
            + "VALUES (\(columns.map { _ in "?" }.joined(separator: ", ")))"
    }
}

extension PropertyLayout {
    /// The columns with the value: two for a reference to an entity that others inherit from.
    var ownColumns: [String] { [column] + (entityColumn.map { [$0] } ?? []) }
}
