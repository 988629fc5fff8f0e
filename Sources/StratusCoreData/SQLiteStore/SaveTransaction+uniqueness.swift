import Foundation
import StratusSQLite

extension SaveTransaction {
    /// Values that only one row may have.
    private struct Claim: Hashable {
        let constraint: EntityLayout.Constraint
        let values: [StoredValue]
        /// The values as SQLite compares them: texts by their bytes, while Swift's are equal with other bytes, too.
        private let compared: [StoredValue]

        init(constraint: EntityLayout.Constraint, values: [StoredValue]) {
            self.constraint = constraint
            self.values = values
            compared = values.map { value in
                switch value {
                case .string(let text): .data(Data(text.utf8))
                case .url(let url): .data(Data(url.absoluteString.utf8))
                default: value
                }
            }
        }

        static func == (left: Self, right: Self) -> Bool {
            left.constraint == right.constraint && left.compared == right.compared
        }

        func hash(into hasher: inout Hasher) {
            hasher.combine(constraint)
            hasher.combine(compared)
        }
    }

    func checkUniqueness(_ changes: RowChanges) throws {
        var claims: [Claim: [RowKey]] = [:]
        // Rows whose stored values are about to be replaced.
        var changing: [EntityLayout.Constraint: Set<RowKey>] = [:]
        guard layout.entities.values.contains(where: { !$0.constraints.isEmpty }) else { return }
        let rows: [(StoredRow, changed: [Int]?)] =
            changes.inserted.map { ($0, nil) } + changes.updated.map { ($0.row, $0.changed) }
        for (row, changed) in rows {
            for constraint in try layout.entity(row.key.entity).constraints
            where changed.map({ !Set($0).isDisjoint(with: constraint.positions) }) ?? true {
                changing[constraint, default: []].insert(row.key)
                guard constraint.positions.allSatisfy({ row.values.indices.contains($0) }) else {
                    throw StoreFailure(.misuse, "a row of '\(row.key.entity)' has \(row.values.count) values")
                }
                let values = constraint.positions.map { row.values[$0] }
                // Rows without a value do not conflict.
                guard !values.contains(.null) else { continue }
                claims[Claim(constraint: constraint, values: values), default: []].append(row.key)
            }
        }
        var conflicts: [UniquenessConflict] = []
        for (claim, keys) in claims {
            let stored = try self.stored(claim, except: changing[claim.constraint] ?? [])
            guard keys.count > 1 || stored != nil else { continue }
            let entity = try layout.entity(claim.constraint.entity)
            conflicts.append(
                UniquenessConflict(
                    entity: entity.name, attributes: claim.constraint.positions.map { entity.properties[$0].name },
                    values: claim.values, saved: keys, stored: stored))
        }
        guard conflicts.isEmpty else { throw SaveFailure.uniqueness(conflicts) }
    }

    private func stored(_ claim: Claim, except changing: Set<RowKey>) throws -> StoredRow? {
        let entity = try layout.entity(claim.constraint.entity)
        let properties = claim.constraint.positions.map { entity.properties[$0] }
        let values = try zip(claim.values, properties).map { try $0.sqlite(as: $1.type, of: $1.name) }
        var keys: [RowKey] = []
        try file.statement(
            "SELECT Z_ENT, Z_PK FROM \(quoted(entity.table)) "
                + "WHERE \(properties.map { quoted($0.column) + " = ?" }.joined(separator: " AND "))"
        ).forEach(binding: values) { row in
            guard let own = layout.byNumber[row.integer(0) ?? 0], entity.family.contains(own.name) else { return true }
            keys.append(try RowKey(own.name, stored: row.integer(1)))
            return true
        }
        let other = keys.first { !changing.contains($0) }
        return try other.flatMap { try store.row($0, in: file) }
    }
}
