import StratusCloudModel
import StratusCloudStore

/// Checks that records, names, indexes, references, counts and assets fit together, while the service goes on: what
/// belongs together is read in one snapshot.
extension CloudService {
    /// Checks all databases, the bytes of assets included.
    /// - Parameters:
    ///   - repairs: makes anew what is made of the records: indexes, references as their targets know them, and what a
    ///     database is counted to hold. Damaged records and lost assets cannot be.
    ///   - progress: told how far the check is.
    public func checkConsistency(
        repairing repairs: Bool, _ progress: CheckProgress = CheckProgress()
    ) async throws(CloudError) -> ConsistencyReport {
        try await checkConsistency(
            repairing: repairs, namesPerStep: ServiceLimits.checkedNamesPerStep, progress)
    }

    /// The same with another bound of what is in memory; see ``ServiceLimits/checkedNamesPerStep``.
    func checkConsistency(
        repairing repairs: Bool, namesPerStep: Int, _ progress: CheckProgress = CheckProgress()
    ) async throws(CloudError) -> ConsistencyReport {
        var report = ConsistencyReport()
        for (context, database) in try await allDatabases() {
            report = try await withSchema(of: context, adding: report) { schema, report in
                try await ConsistencyCheck(
                    service: self, database: database, context: context, schema: schema, repairs: repairs,
                    namesPerStep: namesPerStep, progress: progress
                ).run(adding: &report)
            }
        }
        return report
    }

    /// All databases with their contexts.
    func allDatabases() async throws(CloudError) -> [(context: CloudContext, database: Partition)] {
        var all: [(context: CloudContext, database: Partition)] = []
        for container in try await listContainers() {
            for environment in CloudEnvironment.allCases {
                let context = CloudContext(container: container, environment: environment)
                for database in try await databases(of: context) { all.append((context, database)) }
            }
        }
        return all
    }

    /// Checks a database. Begins anew when the schema changes meanwhile: what was found then may be right.
    func withSchema(
        of context: CloudContext, adding former: ConsistencyReport,
        _ check: (Schema, inout ConsistencyReport) async throws -> Void
    ) async throws(CloudError) -> ConsistencyReport {
        for _ in 0..<ServiceLimits.schemaAttempts {
            var report = former
            report.databases += 1
            let schema = try await schema(of: context)
            do {
                try await check(schema, &report)
                return report
            } catch is SchemaCatalog.Outdated {
                continue
            } catch {
                throw cloudError(from: error)
            }
        }
        throw CloudError(.tryAgainLater, "the schema is changing too quickly; try again", retryAfter: 10)
    }
}
