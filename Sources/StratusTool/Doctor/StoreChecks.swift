import StratusCloudServer
import StratusCloudService

/// What the data themselves are asked, in a running server or on a stopped one's.
struct StoreChecks {
    /// Findings in a line.
    private static let shown = 5

    let directory: DataDirectory
    let repairs: Bool
    var isQuick = false
    let output: Output

    func run(_ report: inout DoctorReport) async {
        do throws(ToolError) {
            let operation = try await OperatorConnection.open(directory)
            await run(by: operation, &report)
            await operation.close()
        } catch {
            report.add("store", .failed, error.message)
        }
    }

    func run(by operation: any Operator, _ report: inout DoctorReport) async {
        var rows: UInt64?
        if !isQuick {
            await check("store", &report) { () async throws(ToolError) in
                let answer = try await CheckWatch(operation, output).run("reading all rows") {
                    // The bytes of assets are read with what records say of them.
                    .verify(includesAssets: false, progress: $0)
                }
                guard case .verified(let count) = answer else { throw .unexpectedAnswer }
                rows = count
                return (.ok, "all rows can be read and are undamaged")
            }
        }
        await check("schema", &report) { () async throws(ToolError) in try await schemas(operation) }
        await check("consistency", &report) { () async throws(ToolError) in try await consistency(operation, rows) }
    }

    private func check(
        _ name: String, _ report: inout DoctorReport,
        _ body: () async throws(ToolError) -> (DoctorReport.Status, String)
    ) async {
        do throws(ToolError) {
            let (status, detail) = try await body()
            report.add(name, status, detail)
        } catch {
            report.add(name, .failed, error.message)
        }
    }

    /// Prints every schema and reads what was printed: what comes out must be what went in.
    private func schemas(_ operation: any Operator) async throws(ToolError) -> (DoctorReport.Status, String) {
        guard case .names(let containers) = try await operation.perform(.listContainers) else {
            throw .unexpectedAnswer
        }
        var building = 0
        for container in containers {
            for environment in ["development", "production"] {
                let context = ControlContext(container: container, environment: environment)
                guard case .schema(let text) = try await operation.perform(.showSchema(context: context)),
                    case .schemaChange(let change) = try await operation.perform(
                        .schema(.compare(context: context, text: text))),
                    case .indexes(let indexes) = try await operation.perform(.schema(.indexes(context: context)))
                else { throw .unexpectedAnswer }
                guard change.changes.isEmpty else {
                    return (.failed, "\(container), \(environment): the stored schema is inconsistent: \(change.text)")
                }
                building += indexes.count { !$0.isComplete }
            }
        }
        let text = containers.count == 1 ? "1 container" : "\(containers.count) containers"
        return switch building {
        case 0: (.ok, text)
        case 1: (.warning, text + "; 1 index is being built")
        default: (.warning, text + "; \(building) indexes are being built")
        }
    }

    private func consistency(
        _ operation: any Operator, _ rows: UInt64?
    ) async throws(ToolError) -> (DoctorReport.Status, String) {
        let answer = try await CheckWatch(operation, output).run("comparing", ofRows: rows) {
            .checkConsistency(repairs: repairs, isQuick: isQuick, progress: $0)
        }
        guard case .consistency(let found) = answer else { throw .unexpectedAnswer }
        let looked =
            "\(found.records) records, \(found.indexEntries) index entries and \(found.assets) assets in "
            + "\(found.databases) databases" + (isQuick ? " (a sample)" : "")
            + (found.databasesLeftOut > 0 ? ", \(found.databasesLeftOut) databases not checked" : "")
        guard found.problems > 0 else { return (.ok, looked + ": no problems") }
        let listed = found.findings.prefix(Self.shown).map { "\($0.kind) in \($0.database), \($0.place)" }
        let more = found.problems > Self.shown ? " …" : ""
        let text = "\(found.problems) problems in \(looked): \(listed.joined(separator: "; "))\(more)"
        if found.repaired == found.problems { return (.repaired, text) }
        let isRepairable = !repairs && found.findings.allSatisfy { ConsistencyFinding.Kind.isRepairable($0.kind) }
        return (.failed, text + (isRepairable ? "; run with --repair to repair them" : ""))
    }
}
