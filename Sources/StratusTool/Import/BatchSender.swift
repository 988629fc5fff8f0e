import StratusCloudModel
import StratusCloudServer
import StratusCloudWire

/// Saves batches of records.
struct BatchSender: Sendable {
    let operation: any Operator
    let database: ControlDatabase

    /// - Throws: ``ToolError`` when the batch could not be decided; nothing is known of its rows then.
    func send(_ batch: ImportBatch) async throws(ToolError) -> ImportOutcome {
        let request = ModifyRecordsRequest(
            operations: batch.operations, zoneID: ZoneID(zoneName: batch.zone), atomic: false, desiredKeys: [])
        let results: [RecordResult]
        do {
            let body = String(decoding: try RequestEncoder().modifyRecords(request), as: UTF8.self)
            let answer = try await perform(.modifyRecords(database: database, body: body))
            results = try ResponseDecoder().recordResults(answer)
        } catch let error as CloudError {
            throw ToolError(error)
        } catch let error as ToolError {
            throw error
        } catch {
            throw ToolError("\(error)")
        }
        guard results.count == batch.lines.count else { throw .unexpectedAnswer }
        var outcome = ImportOutcome()
        for (line, result) in zip(batch.lines, results) {
            if case .failed(_, let error) = result {
                let missing = batch.missingFiles[line].map { "the asset file \($0) is missing: " } ?? ""
                outcome.failures.append((line, missing + error.reason))
            } else {
                outcome.imported += 1
            }
        }
        return outcome
    }

    /// Makes a zone if there is none.
    func makeZone(_ name: String) async throws(ToolError) {
        let results: [ZoneResult]
        do {
            let body = try RequestEncoder().modifyZones([ZoneOperation(.create, ZoneID(zoneName: name))])
            let text = String(decoding: body, as: UTF8.self)
            let answer = try await perform(.modifyZones(database: database, body: text))
            results = try ResponseDecoder().zoneResults(answer)
        } catch let error as CloudError {
            throw ToolError(error)
        } catch let error as ToolError {
            throw error
        } catch {
            throw ToolError("\(error)")
        }
        for case .failed(_, let error) in results { throw ToolError("zone '\(name)': \(error.reason)") }
    }

    private func perform(_ request: ControlRequest) async throws(ToolError) -> [UInt8] {
        switch try await operation.patientAnswer(to: request) {
        case .body(let body): return Array(body.utf8)
        case .failed(let failure): throw ToolError(failure.error)
        default: throw .unexpectedAnswer
        }
    }
}
