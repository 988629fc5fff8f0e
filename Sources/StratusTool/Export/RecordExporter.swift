import CloudModel
import CloudServer
import CloudWire

/// Reads records page by page and writes each as a line.
struct RecordExporter: Sendable {
    let database: ControlDatabase
    /// nil takes all types.
    let recordType: String?
    /// nil takes all zones.
    let zone: String?

    /// Exports everything and returns the number of records.
    func run(_ operation: any Operator, into sink: ExportSink) async throws(ToolError) -> Int {
        var count = 0
        for zone in try await zones(operation) {
            var after: String?
            repeat {
                let request = ControlRequest.exportRecords(
                    database: database, zone: zone, recordType: recordType, after: after)
                guard case .page(let page) = try await operation.perform(request) else { throw .unexpectedAnswer }
                for line in page.lines { try sink.write(line) }
                count += page.lines.count
                after = page.next
            } while after != nil
        }
        return count
    }

    private func zones(_ operation: any Operator) async throws(ToolError) -> [String] {
        if let zone { return [zone] }
        guard case .body(let body) = try await operation.perform(.listZones(database: database)) else {
            throw .unexpectedAnswer
        }
        do {
            return try ResponseDecoder().zones(Array(body.utf8)).map(\.zoneID.zoneName)
        } catch {
            throw ToolError(error)
        }
    }
}
