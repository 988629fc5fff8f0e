import CloudModel
import CloudStore

extension CloudService {
    /// What a deployment does, or would do.
    public struct Deployment: Hashable, Sendable {
        /// What production gets.
        public var diff: SchemaDiff
        /// Records of production that a new index is built from, by record type.
        public var recordsToIndex: [String: Int]
    }

    /// Brings what development's schema has beyond production's to production, in one transaction.
    ///
    /// Nothing is removed: what development lacks, production keeps. An index that is new on a field that was there before
    /// is built in the background. Grants become development's.
    /// - Parameters:
    ///   - name: What the operator calls the deployment.
    ///   - isTrial: Whether nothing is changed, and production's records are counted instead.
    /// - Throws: `conflict` naming the field whose type, or encryption, is another in production; `notFound` if there is
    ///   no such container.
    public func deploySchema(
        of container: ContainerIdentifier, named name: String = "", by operatorName: String = "", isTrial: Bool = false
    ) async throws(CloudError) -> Deployment {
        let production = CloudContext(container: container, environment: .production)
        try await checkContainer(production)
        let document = SchemaDocument(try await schema(of: production.development))
        if isTrial {
            let before = try await schema(of: production)
            var after = before
            try after.apply(document)
            return Deployment(
                diff: SchemaDiff(from: SchemaDocument(before), to: SchemaDocument(after)),
                recordsToIndex: try await recordsToIndex(by: after, unlike: before, in: production))
        }
        let change = SchemaChange(kind: .deploy, name: name, by: operatorName, time: environment.now())
        let diff = try await change.carryOut(on: schemas, production, self) { (schema) throws(CloudError) in
            try schema.apply(document)
        }
        return Deployment(diff: diff, recordsToIndex: [:])
    }

    /// What operators changed in a context's schema, the latest first.
    public func schemaHistory(of context: CloudContext) async throws(CloudError) -> [SchemaHistoryEntry] {
        try await checkContainer(context)
        return try await reading(.context(context)) {
            try $0.allValues(SchemaHistoryEntry.self, in: SchemaCatalog.history).reversed()
        }
    }

    /// Takes back the record types and fields that a change added, as long as nobody has used them: no record is of
    /// the types or has the fields.
    /// - Throws: `notFound` for a number that the history does not have, `conflict` naming what is in use, or when there
    ///   is nothing left to take back.
    public func rollBackSchema(
        of context: CloudContext, change number: UInt64, by operatorName: String = ""
    ) async throws(CloudError) -> SchemaDiff {
        try await checkContainer(context)
        guard let entry = try await reading(.context(context), { try SchemaHistoryEntry.read(number, in: $0) }) else {
            throw CloudError(.notFound, "the history of \(context.environment.rawValue) has no change \(number)")
        }
        let change = SchemaChange(
            kind: .rollback, name: entry.name.isEmpty ? "change \(number)" : entry.name, by: operatorName,
            time: environment.now())
        for _ in 0..<ServiceLimits.schemaAttempts {
            let before = try await schema(of: context)
            let parts = before.present(entry.additions)
            guard !parts.isEmpty else {
                throw CloudError(.conflict, "change \(number) added nothing that is still there")
            }
            if context.environment == .development {
                let production = try await schema(of: context.production)
                guard production.present(parts).isEmpty else {
                    throw CloudError(.conflict, "what change \(number) added is in production by now")
                }
            }
            let isDone = try await withNobodyHaving(parts, in: context) { () throws(CloudError) -> SchemaDiff? in
                try await change.carryOut(on: schemas, context, self, ifStill: before.version) {
                    (schema) throws(CloudError) in schema.remove(parts)
                }
            }
            if let isDone { return isDone }
        }
        throw CloudError(.tryAgainLater, "the schema changes too quickly; try again", retryAfter: 1)
    }

    /// How many records the indexes are built from that `new` has and `old` has not.
    private func recordsToIndex(
        by new: Schema, unlike old: Schema, in context: CloudContext
    ) async throws(CloudError) -> [String: Int] {
        let types = new.recordTypes.values.filter { $0.isBuilding && $0 != old.recordTypes[$0.name] }.map(\.name)
        var counts = Dictionary(uniqueKeysWithValues: types.map { ($0, 0) })
        guard !types.isEmpty else { return [:] }
        for database in try await databases(of: context) {
            for type in types { counts[type, default: 0] += try await countRecords(of: type, in: database) }
        }
        return counts
    }
}

extension Schema {
    /// Those of the parts that there are.
    func present(_ parts: SchemaParts) -> SchemaParts {
        var present = SchemaParts()
        present.recordTypes = parts.recordTypes.filter { recordTypes[$0] != nil }
        for (type, names) in parts.fields {
            for name in names where recordTypes[type]?.fields[name] != nil { present.insert(field: name, of: type) }
        }
        return present
    }

    fileprivate mutating func remove(_ parts: SchemaParts) {
        for name in parts.recordTypes {
            if let type = recordTypes[name] { drop(type) }
            recordTypes[name] = nil
        }
        for (type, names) in parts.fields {
            for name in names {
                if let field = recordTypes[type]?.fields[name] { drop(field) }
                recordTypes[type]?.fields[name] = nil
            }
        }
    }
}
