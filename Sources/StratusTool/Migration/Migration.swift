import Glibc
import StratusCloudModel
import StratusCloudServer
import StratusCloudWire
import StratusWorkers

/// Copies a container of another cloud into one here: plans, fetches, saves, and reports what could not be carried.
struct Migration {
    let source: MigrationSource
    let directory: String
    /// The target's public database, nil if it is not carried; and the private one of an account.
    let publicTarget: ControlDatabase?
    let privateTarget: ControlDatabase?
    let dataDirectory: DataDirectory
    let output: Output

    private var files: MigrationFiles { MigrationFiles(directory: directory) }
    private var stateFile: String { files.state }

    /// - Parameter types: record types of default zones.
    func run(_ start: MigrationState, types: [String], _ operation: any Operator) async throws(ToolError)
        -> MigrationState
    {
        var state = start
        let assets = AssetDirectory(path: files.assets)
        let fetch = MigrationFetch(source: source, directory: directory, assets: assets) { note($0) }
        if !state.isPlanned {
            try await plan(&state, types, fetch)
            try state.write(stateFile)
        }
        // After the state, by which the directory is known as a migration's.
        guard mkdir(assets.path, 0o700) == 0 || errno == EEXIST else {
            throw ToolError("cannot create \(assets.path): \(DataDirectory.systemMessage())")
        }
        for index in state.units.indices where !state.units[index].isFetched {
            do throws(ToolError) {
                try await fetch.run(index, &state) { (state) throws(ToolError) in try state.write(stateFile) }
            } catch {
                guard Self.isOfOneType(error) else { throw error }
                state.leave("records", state.units[index].title, error.message)
                state.units[index].isFetched = true
                try state.write(stateFile)
            }
        }
        try await save(&state, assets, operation)
        return state
    }

    /// Whether a refusal says that some records cannot be read, and nothing about all others: a type that is not there, or
    /// has no index on its record names.
    private static func isOfOneType(_ error: ToolError) -> Bool {
        [CloudError.Code.badRequest, .notFound, .accessDenied, .zoneNotFound].map(\.rawValue).contains(error.code)
    }

    private func note(_ text: String) { if output.showsProgress { output.note(text) } }

    private func plan(
        _ state: inout MigrationState, _ types: [String], _ fetch: MigrationFetch
    ) async throws(ToolError) {
        func add(_ scope: String, zone: String? = nil, type: String? = nil) {
            state.units.append(
                MigrationState.Unit(
                    scope: scope, zone: zone, recordType: type, file: MigrationFiles.records(state.units.count + 1)))
        }
        if publicTarget != nil { for type in types { add("public", type: type) } }
        if privateTarget != nil {
            let answer = try await source.post("private/zones/list") { () throws(CloudError) in
                try RequestEncoder().listZones()
            }
            for zone in try fetch.read({ () throws(CloudError) in try ResponseDecoder().zones(answer) })
            where !zone.zoneID.isDefault && !zone.zoneID.zoneName.hasPrefix("_") {
                add("private", zone: zone.zoneID.zoneName)
            }
            for type in types { add("private", type: type) }
        }
        state.isPlanned = true
    }

    // MARK: - Saving

    private func target(of unit: MigrationState.Unit) -> ControlDatabase? {
        unit.scope == "public" ? publicTarget : privateTarget
    }

    /// Saves what was fetched, and again what refers to records that came after it, as long as that helps.
    private func save(
        _ state: inout MigrationState, _ assets: AssetDirectory, _ operation: any Operator
    ) async throws(ToolError) {
        for unit in state.units {
            guard let zone = unit.zone, let target = target(of: unit), !unit.isImported else { continue }
            try await BatchSender(operation: operation, database: target).makeZone(zone)
        }
        var failures: [Int: [MigrationState.LeftOut]] = [:]
        for pass in 1...MigrationLimits.passes {
            let open = state.units.indices.filter { !state.units[$0].isImported || state.units[$0].failed > 0 }
            let before = open.map { state.units[$0].failed }.reduce(0, +)
            for index in open where state.units[index].length > 0 {
                failures[index] = try await save(state.units[index], assets, operation, &state.units[index].failed)
                state.units[index].isImported = true
                try state.write(stateFile)
            }
            let after = open.map { state.units[$0].failed }.reduce(0, +)
            if after == 0 || pass > 1 && after >= before { break }
        }
        for index in state.units.indices { state.units[index].isImported = true }
        state.leftOut.removeAll { $0.what == "record" }
        for (_, list) in failures.sorted(by: { $0.key < $1.key }) {
            for failure in list { state.leave(failure.what, failure.place, failure.reason) }
        }
        try state.write(stateFile)
    }

    /// One file, by the import, which goes on by itself where it was interrupted.
    private func save(
        _ unit: MigrationState.Unit, _ assets: AssetDirectory, _ operation: any Operator, _ failed: inout Int
    ) async throws(ToolError) -> [MigrationState.LeftOut] {
        guard let target = target(of: unit) else { return [] }
        let path = "\(directory)/\(unit.file)"
        let reasons = Lock<[MigrationState.LeftOut]>([])
        let title = unit.title
        // The import tells of each line that it cannot save.
        var listening = Output { _, bytes in
            guard let reader = try? JSONReader(bytes, limit: bytes.count),
                let line = try? reader.member("line")?.integer(),
                let reason = try? reader.member("reason")?.string()
            else { return }
            reasons.withLock {
                $0.append(MigrationState.LeftOut(what: "record", place: "\(title), line \(line)", reason: reason))
            }
        }
        listening.isJSON = true
        let plan = ImportPlan(
            file: path, format: .jsonl, recordType: nil, database: target, zone: unit.zone, rules: ColumnRules(),
            assets: assets, restarts: false)
        var run = try ImportRun(
            plan, file: try FileReader(path: path), operation: operation, directory: dataDirectory, output: listening)
        let summary = try await run.run()
        failed = summary.failed
        note("\(unit.title): saved \(summary.imported), refused \(summary.failed)")
        return reasons.withLock { $0 }
    }
}
