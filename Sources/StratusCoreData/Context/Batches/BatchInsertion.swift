import Foundation

/// Inserts rows without objects: those of a batch that sets only attributes.
struct BatchInsertion {
    private let entity: NSEntityDescription
    private let store: NSPersistentStore
    private let table: PropertyTable
    private let mapping: RowMapping
    private let defaults: [StoredValue]

    /// Returns nil if no store takes new rows of the entity.
    init?(of entity: NSEntityDescription, _ context: BatchContext) throws {
        let table = context.table(of: entity)
        guard !entity.isAbstract, let store = context.storeForNew ?? context.coordinator?.storeForNew(entity),
            !store.savesObjects,
            let mapping = table.mapping(for: store)
        else { return nil }
        (self.entity, self.store, self.table, self.mapping) = (entity, store, table, mapping)
        var defaults = [StoredValue](repeating: .null, count: mapping.layout.properties.count)
        for (position, place) in mapping.places.enumerated() {
            guard case .attribute(let attribute) = table.properties[position].kind,
                case .value(let value) = table.defaults[position]
            else { continue }
            try RowEncoder.set(value, of: attribute, at: place, in: &defaults)
        }
        self.defaults = defaults
    }

    /// Returns the IDs of the new rows, if they are asked for, and the number of the rows. Returns nil, without an
    /// insertion, if values need objects: relationships, values that do not fit, and those that other rows have already
    /// where they must be unique.
    func insert(
        _ rows: [[String: Any]], _ origin: SaveOrigin, returnsIDs: Bool
    ) throws -> (ids: [NSManagedObjectID], count: Int)? {
        guard let values = try values(rows) else { return nil }
        guard !values.isEmpty else { return ([], 0) }
        let name = entity.name ?? ""
        let keys = try CoreDataError.inCocoa { try store.rows.obtainKeys([name: values.count])[name] ?? [] }
        var changes = RowChanges()
        changes.origin = origin
        changes.inserted = zip(keys, values).map { StoredRow(key: $0, version: 0, values: $1) }
        do {
            _ = try CoreDataError.inCocoa { try store.rows.save(changes) }
        } catch is SaveFailure {
            return nil
        }
        store.notifyOfChange()
        let ids = returnsIDs ? keys.map { NSManagedObjectID(entity: entity, store: store, number: $0.primaryKey) } : []
        return (ids, keys.count)
    }

    private func values(_ rows: [[String: Any]]) throws -> [[StoredValue]]? {
        var all: [[StoredValue]] = []
        all.reserveCapacity(rows.count)
        for row in rows {
            var values = defaults
            for (key, value) in row {
                guard let position = table.position(of: key),
                    case .attribute(let attribute) = table.properties[position].kind
                else { return nil }
                if case .value(let index) = mapping.places[position],
                    let plain = StoredValue(plain: value, of: attribute.attributeType)
                {
                    values[index] = plain
                    continue
                }
                var held: Any?
                if !(value is NSNull) {
                    held = AttributeConversion.value(value, for: attribute.attributeType)
                    guard let held, attribute.attributeType.accepts(held) else { return nil }
                }
                try RowEncoder.set(held, of: attribute, at: mapping.places[position], in: &values)
            }
            all.append(values)
        }
        return all
    }
}
