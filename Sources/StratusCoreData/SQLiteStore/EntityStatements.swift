import StratusSQLite

/// The SQL for single rows of an entity, made once for a store.
struct EntityStatements: Sendable {
    let reader: RowReader
    /// Reads rows of the entity and of all that inherit from it.
    let familyReader: RowReader
    /// The table, with the alias of the readers.
    let source: String
    /// The condition for rows of the entity itself.
    let isOfEntity: String
    /// The condition for rows of the entity and of all that inherit from it.
    let isOfFamily: String
    /// Selects the columns of ``reader``. The parameters are the primary key and the number of the entity.
    let select: String
    /// Selects the version. The parameters are the same.
    let version: String
    /// Inserts a row. The parameters are the primary key, the number of the entity, the version, and the columns of the
    /// properties in their order.
    let insert: String

    init(_ entity: EntityLayout, _ layout: StoreLayout) {
        let table = quoted(entity.table)
        source = "FROM \(table) \(RowReader.alias)"
        func isOf(_ numbers: [Int64]) -> String {
            "\(RowReader.alias).Z_ENT IN (\(numbers.map(String.init).joined(separator: ", ")))"
        }
        isOfEntity = isOf([entity.number])
        isOfFamily = isOf(entity.family.compactMap { layout.entities[$0]?.number })
        let condition = "FROM \(table) t1 WHERE t1.Z_PK = ? AND t1.Z_ENT = ?"
        reader = RowReader([entity], layout)
        familyReader = RowReader(entity.family.compactMap { layout.entities[$0] }, layout)
        select = "SELECT \(reader.columns) \(condition)"
        version = "SELECT t1.Z_OPT \(condition)"
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
