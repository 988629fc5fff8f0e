import StratusCloudModel

/// Carries an import out: reads rows, sends batches of which some are under way at the same time, reports what failed,
/// and keeps how far everything is decided.
struct ImportRun {
    /// The counts at the end.
    struct Summary: Encodable, Hashable, Sendable {
        var imported = 0
        var failed = 0
        /// The line on which an interrupted import went on; absent for a whole one.
        var resumedAtLine: Int?
    }

    private struct InFlight {
        let task: Task<Result<ImportOutcome, ToolError>, Never>
        let names: Set<String>
        /// Rows up to its end that were refused before they were sent.
        let refusedRows: Int
        /// Behind the last row before the end of the batch.
        let end: FilePosition
    }

    private let sender: BatchSender
    private let assetSender: AssetSender
    private let progressFile: ImportProgressFile
    private let output: Output
    private var rows: any ImportRows
    private var display: ProgressDisplay
    private var progress: ImportProgress
    private var summary = Summary()
    private var batch: ImportBatch?
    private var inFlight: [InFlight] = []
    /// Rows that were refused before they were sent, and rows that the cloud refused.
    private var refusedRows: Int
    private var failedRows = 0
    private var zones: Set<String> = [ZoneID.defaultZoneName]
    /// Behind the last row that was read.
    private var readPosition: FilePosition

    init(
        _ plan: ImportPlan, file: FileReader, operation: any Operator, directory: DataDirectory, output: Output
    ) throws(ToolError) {
        let digest = try file.digest()
        progressFile = try ImportProgressFile(plan, digest: digest, in: directory)
        if plan.restarts { progressFile.remove() }
        let kept = progressFile.read()
        rows = try plan.rows(of: file, digest: digest, from: kept?.position)
        progress = kept ?? ImportProgress(position: .start, imported: 0, failed: 0)
        readPosition = progress.position
        summary.resumedAtLine = kept?.position.line
        summary.imported = progress.imported
        refusedRows = progress.failed
        display = ProgressDisplay(total: file.size, output: output)
        sender = BatchSender(operation: operation, database: plan.database)
        assetSender = AssetSender(operation: operation, database: plan.database, directory: plan.assets)
        self.output = output
    }

    /// Imports everything that is left.
    /// - Throws: ``ToolError`` when it cannot go on, or its task is cancelled; started again, it goes on behind the last
    ///   decided row.
    mutating func run() async throws(ToolError) -> Summary {
        if let line = summary.resumedAtLine { output.note("continuing at line \(line)") }
        do throws(ToolError) {
            try await sendAll()
        } catch {
            guard Task.isCancelled else { throw error }
            // What is under way is decided, and counts.
            while !inFlight.isEmpty { try await settle() }
            display.interrupt()
            throw .interrupted("the import stopped at line \(progress.position.line); run it again to continue")
        }
        display.interrupt()
        progressFile.remove()
        summary.failed = refusedRows + failedRows
        return summary
    }

    private mutating func sendAll() async throws(ToolError) {
        while let row = try rows.next() {
            try ToolError.checkInterruption("the import stopped")
            switch row.content {
            case .failure(let error):
                refusedRows += 1
                report(row.line, error.reason)
            case .success(let content): try await add(content, row)
            }
            readPosition = row.end
            if batch?.isFull ?? false { try await dispatch() }
        }
        try await dispatch()
        while !inFlight.isEmpty { try await settle() }
    }

    private mutating func add(_ content: ImportRow.Content, _ row: ImportRow) async throws(ToolError) {
        // The later of two rows for one record must be saved later.
        let isTwice = batch?.names.contains(content.name) ?? false
        if isTwice || (batch.map { $0.zone != content.zone } ?? false) { try await dispatch() }
        while inFlight.contains(where: { $0.names.contains(content.name) }) { try await settle() }
        guard let sent = try await uploadAssets(of: content, line: row.line) else { return }
        if batch == nil { batch = ImportBatch(zone: content.zone) }
        batch?.add(sent, line: row.line, size: row.end.offset - readPosition.offset)
    }

    /// The row with what proves its assets; nil if it was refused for one.
    private mutating func uploadAssets(
        of content: ImportRow.Content, line: Int
    ) async throws(ToolError) -> AssetSender.Sent? {
        guard content.input.hasAssets else { return AssetSender.Sent(content: content) }
        try await makeZone(content.zone)
        switch try await assetSender.send(content) {
        case .success(let sent): return sent
        case .failure(let error):
            refusedRows += 1
            report(line, error.reason)
            return nil
        }
    }

    private mutating func makeZone(_ name: String) async throws(ToolError) {
        // A reserved zone appears with its first record.
        let isReserved = ZoneID(zoneName: name).isReserved
        if !isReserved, !zones.contains(name) { try await sender.makeZone(name) }
        zones.insert(name)
    }

    /// Sends the batch; waits if too many are under way.
    private mutating func dispatch() async throws(ToolError) {
        guard let batch, !batch.isEmpty else { return }
        self.batch = nil
        try await makeZone(batch.zone)
        while inFlight.count >= ImportLimits.batchesInFlight { try await settle() }
        let sender = sender
        let task = Task { () -> Result<ImportOutcome, ToolError> in
            do throws(ToolError) { return .success(try await sender.send(batch)) } catch { return .failure(error) }
        }
        inFlight.append(InFlight(task: task, names: batch.names, refusedRows: refusedRows, end: readPosition))
    }

    /// Waits for the oldest batch and keeps what became of it.
    private mutating func settle() async throws(ToolError) {
        let oldest = inFlight.removeFirst()
        switch await oldest.task.value {
        case .failure(let error):
            display.interrupt()
            for other in inFlight { _ = await other.task.value }
            throw ToolError(
                "\(error.message) (the import stopped at line \(progress.position.line); run it again to continue)",
                code: error.code)
        case .success(let outcome):
            summary.imported += outcome.imported
            failedRows += outcome.failures.count
            for failure in outcome.failures { report(failure.line, failure.reason) }
            progress = ImportProgress(
                position: oldest.end, imported: summary.imported, failed: oldest.refusedRows + failedRows)
            try progressFile.write(progress)
            display.update(done: oldest.end.offset, records: summary.imported, failed: progress.failed)
        }
    }

    private mutating func report(_ line: Int, _ reason: String) {
        display.interrupt()
        output.rowFailure(line: line, reason: reason)
    }
}
