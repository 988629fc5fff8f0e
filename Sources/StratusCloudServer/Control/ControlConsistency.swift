import StratusCloudService

/// What a check of all databases found.
public struct ControlConsistency: Codable, Hashable, Sendable {
    /// Databases that were looked at.
    public var databases: Int
    /// Databases for which a quick check had no time.
    public var databasesLeftOut: Int
    /// In all of them.
    public var records: Int
    /// Of all indexes.
    public var indexEntries: Int
    /// Bytes that are kept, each once.
    public var assets: Int
    /// How much is, or was, wrong.
    public var problems: Int
    /// How much of that is right again.
    public var repaired: Int
    /// What is wrong, the first of it.
    public var findings: [Finding]

    /// Something that does not fit together.
    public struct Finding: Codable, Hashable, Sendable {
        /// Such as `missingIndexEntry`.
        public var kind: String
        /// As the store names it.
        public var database: String
        /// Where in it.
        public var place: String
        /// Whether it is right again.
        public var isRepaired: Bool
    }

    init(_ report: ConsistencyReport) {
        databases = report.databases
        databasesLeftOut = report.databasesLeftOut
        records = report.records
        indexEntries = report.indexEntries
        assets = report.assets
        problems = report.problems
        repaired = report.repaired
        findings = report.findings.map {
            Finding(kind: $0.kind.rawValue, database: $0.database, place: $0.place, isRepaired: $0.isRepaired)
        }
    }
}
