import Foundation
import StratusSQLite

/// The values of a property's columns, taken from the rows of the former entity.
struct ColumnCopy {
    /// An expression over the row `t`, with the value of its parameter if it has one.
    struct Value {
        let sql: String
        var parameter: SQLiteValue?
    }

    private let property: PropertyLayout
    private let attribute: NSAttributeDescription?
    private let former: PropertyLayout?

    init(_ property: PropertyLayout, _ pair: MappingInference.Pair, _ former: EntityLayout) {
        self.property = property
        attribute = pair.destination.storedAttribute(property.name)
        let parts = property.name.split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false)
        let name = pair.properties[String(parts[0])].map { ([$0] + parts.dropFirst().map(String.init)) }
        self.former = name.flatMap { former.positions[$0.joined(separator: ".")] }.map { former.properties[$0] }
    }

    /// The columns that get a value. References to entities get theirs later, when all rows are there.
    func columns() throws -> [(String, Value)] {
        guard let attribute else {
            guard let former, case .reference = former.type, case .reference = property.type else { return [] }
            var columns = [(property.column, Value(sql: "t." + quoted(former.column)))]
            if let order = property.orderColumn, let formerOrder = former.orderColumn {
                columns.append((order, Value(sql: "t." + quoted(formerOrder))))
            }
            return columns
        }
        let initial = try defaultValue(of: attribute)
        guard let former else { return initial.map { [(property.column, Value(sql: "?", parameter: $0))] } ?? [] }
        let value = converted("t." + quoted(former.column), from: former.type)
        guard !attribute.isOptional, let initial else { return [(property.column, Value(sql: value))] }
        return [(property.column, Value(sql: "coalesce(\(value), ?)", parameter: initial))]
    }

    private func converted(_ column: String, from type: StorageType) -> String {
        switch (type, property.type) {
        case (.externalData, .data): "\(InlineExternalData.function)(\(column))"
        // The byte 1 marks data in the column.
        case (.data, .externalData): "CAST(x'01' || \(column) AS BLOB)"
        default: column
        }
    }

    private func defaultValue(of attribute: NSAttributeDescription) throws -> SQLiteValue? {
        guard let value = attribute.defaultValue, !(attribute is NSDerivedAttributeDescription) else { return nil }
        let held = AttributeConversion.value(value, for: attribute.attributeType) ?? value
        return try StoredValue(held, of: attribute).sqlite(as: property.type, of: property.name)
    }
}

extension NSEntityDescription {
    /// Returns an attribute by the name that the store has for it, in which dots separate the elements of composites.
    func storedAttribute(_ name: String) -> NSAttributeDescription? {
        let parts = name.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
        var attribute = parts.first.flatMap { attributesByName[$0] }
        for part in parts.dropFirst() {
            attribute = (attribute as? NSCompositeAttributeDescription)?.elements.first { $0.name == part }
        }
        return attribute
    }
}

/// The function of SQL that reads external data into the column.
final class InlineExternalData {
    static let function = "stratus_inline"

    private final class Result {
        var failure: (any Error)?
    }

    private let result = Result()

    init(_ external: ExternalFiles?, in file: StoreFile) throws {
        try file.connection.addFunction(Self.function, arguments: 1) { [result] arguments in
            guard case .blob(let bytes)? = arguments.first else { return .null }
            do {
                switch ExternalData(bytes) {
                case .inColumn(let data): return .blob(Array(data))
                case .inFile(let name):
                    guard let external else { throw StoreFailure(.damaged, "the store has no files") }
                    return try external.data(name).map { .blob(Array($0)) } ?? .null
                case nil: throw StoreFailure(.damaged, "external data has an unknown form")
                }
            } catch {
                result.failure = result.failure ?? error
                return .null
            }
        }
    }

    /// Throws the first failure. SQL cannot throw it.
    func check() throws { if let failure = result.failure { throw failure } }
}
