import StratusSQLite

/// Changes the history of a store with its model: entities have other numbers, and properties other places. Changes of
/// entities that no longer exist are removed.
struct HistoryTransformation {
    private let file: StoreFile
    private let destination: StoreLayout
    private let pairs: [(former: EntityLayout, entity: EntityLayout, properties: [String: String])]

    private static let bitsFunction = "stratus_history_bits"

    init(_ transformation: StoreTransformation) throws {
        file = transformation.file
        destination = transformation.destination
        pairs = try transformation.pairs.map { pair in
            (
                try transformation.source.entity(pair.source.name ?? ""),
                try transformation.destination.entity(pair.destination.name ?? ""), pair.properties
            )
        }
    }

    func run() throws {
        try HistoryTables(file: file, layout: destination).create()
        let numbers = pairs.map { String($0.former.number) }.joined(separator: ", ")
        try file.connection.execute("DELETE FROM ACHANGE WHERE ZENTITY NOT IN (\(numbers))")
        guard !pairs.isEmpty else { return }
        try addBitsFunction()
        var assignments = ["ZCOLUMNS = \(Self.bitsFunction)(ZENTITY, ZCOLUMNS)"]
        assignments.append(
            "ZENTITY = CASE ZENTITY "
                + pairs.map { "WHEN \($0.former.number) THEN \($0.entity.number)" }.joined(separator: " ") + " END")
        let columns = try file.columnNames(of: "ACHANGE").filter { $0.hasPrefix("ZTOMBSTONE") }
        for column in columns.sorted() {
            guard let index = Int(column.dropFirst("ZTOMBSTONE".count)) else { continue }
            assignments.append("\(column) = CASE ZENTITY \(tombstones(at: index, columns)) ELSE NULL END")
        }
        try file.connection.execute("UPDATE ACHANGE SET \(assignments.joined(separator: ", "))")
    }

    /// Returns the columns that the values of a column were in, for each entity.
    private func tombstones(at index: Int, _ columns: Set<String>) -> String {
        pairs.map { former, entity, properties in
            var column = "NULL"
            if entity.history.preserved.indices.contains(index),
                let name = properties[entity.history.preserved[index]],
                let place = former.history.preserved.firstIndex(of: name), columns.contains("ZTOMBSTONE\(place)")
            {
                column = "ZTOMBSTONE\(place)"
            }
            return "WHEN \(former.number) THEN \(column)"
        }.joined(separator: " ")
    }

    private func addBitsFunction() throws {
        var entities: [Int64: (HistoryProperties, HistoryProperties, [String: String])] = [:]
        for (former, entity, properties) in pairs {
            let renamed = Dictionary(properties.map { ($1, $0) }, uniquingKeysWith: { $1 })
            entities[former.number] = (former.history, entity.history, renamed)
        }
        try file.connection.addFunction(Self.bitsFunction, arguments: 2) { [entities] arguments in
            guard case .integer(let number) = arguments[0], case .blob(let bits) = arguments[1],
                let (former, current, renamed) = entities[number], let changed = former.changed(bits)
            else { return .null }
            return .blob(current.bits(Set(changed.compactMap { renamed[$0] })))
        }
    }
}
