import StratusCloudModel
import StratusCloudStore

extension CloudService {
    /// What a deployment would bring to production, without counting what that takes.
    public struct DeploymentPlan: Hashable, Sendable {
        /// What production gets. Where there is an obstacle, all that tells it from development.
        public var diff: SchemaDiff
        /// What production has beyond development, seen from there; it stays.
        public var kept: SchemaDiff
        /// Why a deployment would be refused; nil if it would not.
        public var obstacle: CloudError?
    }

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
    ///   - shown: The difference in words that the operator has seen and agreed to; nil if any will do.
    ///   - isTrial: Whether nothing is changed, and production's records are counted instead.
    /// - Throws: `conflict` naming the field whose type, or encryption, is another in production, or because the
    ///   difference is not the one that was shown any more; `notFound` if there is no such container.
    public func deploySchema(
        of container: ContainerIdentifier, named name: String = "", by operatorName: String = "",
        expecting shown: String? = nil, isTrial: Bool = false
    ) async throws(CloudError) -> Deployment {
        let production = CloudContext(container: container, environment: .production)
        try await checkContainer(production)
        let document = SchemaDocument(try await schema(of: production.development))
        if isTrial {
            let before = try await schema(of: production)
            let after = try before.deploying(document, expecting: shown)
            return Deployment(
                diff: SchemaDiff(from: SchemaDocument(before), to: SchemaDocument(after)),
                recordsToIndex: try await recordsToIndex(by: after, unlike: before, in: production))
        }
        let change = SchemaChange(kind: .deploy, name: name, by: operatorName, time: environment.now())
        let diff = try await change.carryOut(on: schemas, production, self) { (schema) throws(CloudError) in
            schema = try schema.deploying(document, expecting: shown)
        }
        return Deployment(diff: diff, recordsToIndex: [:])
    }

    /// What a deployment would do at this moment; an obstacle is a part of the answer.
    /// - Throws: `notFound` if there is no such container.
    public func plannedDeployment(of container: ContainerIdentifier) async throws(CloudError) -> DeploymentPlan {
        let production = CloudContext(container: container, environment: .production)
        try await checkContainer(production)
        let wanted = SchemaDocument(try await schema(of: production.development))
        let before = try await schema(of: production)
        do {
            let after = SchemaDocument(try before.deploying(wanted))
            return DeploymentPlan(
                diff: SchemaDiff(from: SchemaDocument(before), to: after), kept: SchemaDiff(from: wanted, to: after))
        } catch {
            return DeploymentPlan(
                diff: SchemaDiff(from: SchemaDocument(before), to: wanted), kept: SchemaDiff(), obstacle: error)
        }
    }

    /// What operators changed in a context's schema, the latest first.
    public func schemaHistory(of context: CloudContext) async throws(CloudError) -> [SchemaHistoryEntry] {
        try await checkContainer(context)
        return try await reading(.context(context)) {
            try $0.allValues(SchemaHistoryEntry.self, in: SchemaCatalog.history).reversed()
        }
    }

    /// Takes back what a change added, as long as nobody uses it: record types and fields that no record has, indexes,
    /// and roles without members to which nothing is granted. Permissions become what they were before, unless a later
    /// change made others of them. The whole or nothing.
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
        return try await replaceSchema(of: context, by: change) { (schema, production) throws(CloudError) in
            let current = SchemaDocument(schema)
            let wanted = current.without(entry.additions)
            guard wanted != current else {
                throw CloudError(.conflict, "nothing that change \(number) added still exists")
            }
            for role in current.roles where !wanted.roles.contains(role) {
                try wanted.checkNothingIsGranted(to: role)
                try schema.checkNobodyHas(role: role)
                try production?.checkRoleIsAbsent(role)
            }
            return wanted
        }
    }

    /// How many records the indexes are built from that `new` has and `old` has not.
    private func recordsToIndex(
        by new: Schema, unlike old: Schema, in context: CloudContext
    ) async throws(CloudError) -> [String: Int] {
        let types = new.recordTypes.values.filter { $0.isBuilding && $0 != old.recordTypes[$0.name] }.map(\.name)
        var counts: [String: Int] = [:]
        for type in types { counts[type] = try await countRecords(of: type, in: context) }
        return counts
    }
}

extension Schema {
    /// Production's schema with what development has beyond it.
    /// - Parameter shown: The difference that there must be; nil if any will do.
    fileprivate func deploying(
        _ development: SchemaDocument, expecting shown: String? = nil
    ) throws(CloudError) -> Schema {
        var after = self
        try after.apply(development)
        try after.checkRoom()
        try SchemaDiff(from: SchemaDocument(self), to: SchemaDocument(after)).check(isStill: shown)
        return after
    }
}

extension SchemaDiff {
    /// - Parameter shown: The difference in words that somebody has seen and agreed to; nil if any will do.
    /// - Throws: `conflict` unless it is this one.
    func check(isStill shown: String?) throws(CloudError) {
        guard let shown, shown != description else { return }
        throw CloudError(.conflict, "the schema has changed since the changes were shown: review them again")
    }
}
