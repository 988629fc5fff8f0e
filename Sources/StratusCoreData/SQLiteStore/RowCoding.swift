import Foundation
import StratusSQLite

/// A name in SQL, whatever characters it has.
func quoted(_ name: String) -> String {
    guard name.utf8.contains(UInt8(ascii: "\"")) else { return "\"" + name + "\"" }
    return "\"" + name.replacingOccurrences(of: "\"", with: "\"\"") + "\""
}

extension StoredValue {
    /// The value as SQLite keeps it in a column of a type.
    func sqlite(as type: StorageType, of name: String) throws -> SQLiteValue {
        switch (self, type) {
        case (.null, _): return .null
        case (.integer(let value), .integer), (.integer(let value), .boolean): return .integer(value)
        case (.double(let value), .double), (.double(let value), .float):
            // SQLite stores NULL instead of it.
            guard !value.isNaN else { throw StoreFailure(.unsupported, "'\(name)': not a number cannot be stored") }
            return .real(value)
        case (.decimal(let value), .decimal):
            guard !value.isNaN else { throw StoreFailure(.unsupported, "'\(name)': not a number cannot be stored") }
            // The column turns the text into a number.
            return .text(NSDecimalNumber(decimal: value).description(withLocale: nil))
        case (.string(let value), .string): return .text(value)
        case (.date(let value), .date): return .real(value.timeIntervalSinceReferenceDate)
        case (.data(let value), .data): return .blob(Array(value))
        case (.data(let value), .externalData): return .blob(ExternalData.inColumn(value).bytes)
        case (.uuid(let value), .uuid): return .blob(withUnsafeBytes(of: value.uuid) { Array($0) })
        case (.url(let value), .url): return .text(value.absoluteString)
        case (.reference(let key), .reference): return .integer(key.primaryKey)
        default: throw StoreFailure(.misuse, "'\(name)': a value of another type than the attribute's")
        }
    }
}

extension RowKey {
    /// Takes a key that a file has. Keys that are not positive are those of objects without a row.
    init(_ entity: String, stored primaryKey: Int64?) throws {
        guard let primaryKey, primaryKey > 0 else {
            throw StoreFailure(.damaged, "a row of '\(entity)' has the primary key \(primaryKey ?? 0)")
        }
        self.init(entity: entity, primaryKey: primaryKey)
    }
}

/// Reads rows of entities that share a table from the columns of a statement.
struct RowReader: Sendable {
    /// The name of the table in the statement.
    static let alias = "t1"
    /// The columns to select, the key, entity and version first.
    let columns: String
    private let layout: StoreLayout
    /// The entities by their numbers, with the column of each property.
    private let entities: [Int64: (entity: EntityLayout, columns: [Int])]

    init(_ entities: [EntityLayout], _ layout: StoreLayout) {
        var columns = ["Z_PK", "Z_ENT", "Z_OPT"].map { Self.alias + "." + $0 }
        var places: [String: Int] = [:]
        for property in entities.flatMap(\.properties) where places[property.column] == nil {
            places[property.column] = columns.count
            columns += property.columns(of: Self.alias, layout)
        }
        self.columns = columns.joined(separator: ", ")
        self.layout = layout
        let found = entities.map { entity in
            (entity.number, (entity: entity, columns: entity.properties.map { places[$0.column] ?? 0 }))
        }
        self.entities = Dictionary(found, uniquingKeysWith: { $1 })
    }

    func row(_ row: SQLiteRow) throws -> StoredRow {
        guard let (entity, columns) = entities[row.integer(1) ?? 0], !entity.isAbstract else {
            throw StoreFailure(.damaged, "a row is of an entity that has no rows")
        }
        let key = try RowKey(entity.name, stored: row.integer(0))
        var values: [StoredValue] = []
        values.reserveCapacity(columns.count)
        for (property, column) in zip(entity.properties, columns) {
            values.append(
                try property.value(in: row, at: column, layout, of: { "of '\(key.entity)' \(key.primaryKey)" }))
        }
        return StoredRow(key: key, version: row.integer(2) ?? 0, values: values)
    }
}

extension PropertyLayout {
    /// Returns the columns to select of a table. Of a reference to an entity that others inherit from, the second column
    /// is the number of the destination's own entity.
    func columns(of alias: String, _ layout: StoreLayout) -> [String] {
        let column = alias + "." + quoted(self.column)
        guard case .reference(let name) = type, let number = entityColumn, let destination = layout.entities[name]
        else { return [column] }
        // Files of earlier versions have rows without the number.
        let looked = "(SELECT d.Z_ENT FROM \(quoted(destination.table)) d WHERE d.Z_PK = \(column))"
        return [column, "coalesce(\(alias).\(quoted(number)), \(looked))"]
    }

    /// Returns the value in the columns of ``columns(of:_:)``.
    /// - Parameter owner: The row that has the value, in words.
    func value(
        in row: SQLiteRow, at column: Int, _ layout: StoreLayout, of owner: () -> String
    ) throws -> StoredValue {
        if row.isNull(column) { return .null }
        switch type {
        case .integer, .boolean: if let value = row.integer(column) { return .integer(value) }
        case .double, .float: if let value = row.real(column) { return .double(value) }
        case .decimal:
            if let text = row.text(column), let value = Decimal(string: text, locale: Self.plain) {
                return .decimal(value)
            }
        case .string: if let text = row.text(column) { return .string(text) }
        case .date:
            if let seconds = row.real(column) { return .date(Date(timeIntervalSinceReferenceDate: seconds)) }
        case .data: if let bytes = row.blob(column) { return .data(Data(bytes)) }
        case .externalData:
            switch ExternalData(row.blob(column) ?? []) {
            case .inColumn(let data): return .data(data)
            case .inFile(let file):
                if let external = layout.external {
                    if let data = try external.data(file) { return .data(data) }
                    layout.missingFiles.note(file)
                    return .null
                }
            case nil: break
            }
        case .uuid:
            if let bytes = row.blob(column), bytes.count == 16 {
                return .uuid(bytes.withUnsafeBytes { UUID(uuid: $0.loadUnaligned(as: uuid_t.self)) })
            }
        case .url: if let text = row.text(column), let url = URL(string: text) { return .url(url) }
        case .reference(let name):
            let number = entityColumn == nil ? nil : row.integer(column + 1)
            let destination = layout.entities[name]
            let own = entityColumn == nil ? destination : layout.entity(ofRow: number)
            if let own, destination?.family.contains(own.name) == true, let primaryKey = row.integer(column) {
                return .reference(try RowKey(own.name, stored: primaryKey))
            }
            // The row that it led to no longer exists.
            if entityColumn != nil, number == nil { return .null }
        }
        throw StoreFailure(.damaged, "'\(name)' \(owner()) has a value of another type")
    }

    private static let plain = Locale(identifier: "en_US_POSIX")
}
