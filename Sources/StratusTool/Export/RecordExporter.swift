import StratusCloudModel
import StratusCloudServer
import StratusCloudWire

/// Reads records page by page and writes each as a line.
struct RecordExporter: Sendable {
    let database: ControlDatabase
    /// nil takes all types.
    let recordType: String?
    /// nil takes all zones.
    let zone: String?
    /// Writes the bytes of assets; nil leaves them out.
    let assets: AssetExporter?
    /// Only what the database's account made.
    var isOwn = false
    /// Writes a row of CSV for each record; nil writes the lines as they are.
    var table: CSVTable?

    /// What was exported.
    struct Count: Hashable, Sendable {
        var records = 0
        /// What records say of assets; bytes that several have count for each.
        var assets = 0
    }

    /// Exports everything.
    func run(_ operation: any Operator, into sink: ExportSink) async throws(ToolError) -> Count {
        var count = Count()
        if let table { try sink.write(table.header) }
        let zones = if let zone { [zone] } else { try await Self.zones(of: database, operation) }
        for zone in zones {
            var after: String?
            repeat {
                let request = ControlRequest.exportRecords(
                    database: database, zone: zone, recordType: recordType, after: after, isOwn: isOwn)
                guard case .page(let page) = try await operation.perform(request) else { throw .unexpectedAnswer }
                if let assets {
                    for asset in page.assets { try await assets.write(asset, of: database, operation) }
                }
                for line in page.lines { try sink.write(try table?.row(of: line) ?? line) }
                count.records += page.lines.count
                count.assets += page.assets.count
                after = page.next
            } while after != nil
        }
        try assets?.finish()
        return count
    }

    /// Returns the names of the zones of a database.
    static func zones(
        of database: ControlDatabase, _ operation: any Operator
    ) async throws(ToolError) -> [String] {
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
