import CloudModel
import CloudService
import CloudWire
import HTTPTransport

/// Records as a file: a line of JSON for each, written while they are read.
enum ConsoleExport {
    static let routes = [
        ConsoleRoute("GET", "c/:container/:environment/export", .team(.readData), export)
    ]

    private static func export(_ call: ConsoleCall) async throws(CloudError) -> ConsoleAnswer {
        let context = try call.context()
        guard let scope = DatabaseScope(rawValue: call.query("database") ?? "public"), scope != .shared else {
            throw CloudError(.badRequest, "database must be public or private")
        }
        let zone = ZoneID(zoneName: call.query("zone") ?? ZoneID.defaultZoneName)
        let type = call.query("type")
        let developer = try call.signedIn()
        let caller = try await call.service.exporter(for: developer, in: context)
        // What cannot be exported is refused, not broken off.
        let first = try await call.service.exportRecords(
            of: type, in: scope, zoneID: zone, after: nil, as: caller)
        let service = call.service
        var answer = try ConsoleAnswer.stream("application/x-ndjson; charset=UTF-8", of: call) { writer, watch in
            var page = first
            while true {
                let lines = page.records.flatMap { RecordLine.encode($0.withoutOwner) + [UInt8(ascii: "\n")] }
                if !lines.isEmpty { try await writer.write(lines) }
                guard let next = page.next else { return }
                // It breaks off, so that nobody takes a part for the whole.
                if watch.isDue {
                    try await watch.check()
                    // Who is no longer linked to an account reads no further in its databases.
                    let now = try await service.exporter(for: developer, in: context)
                    guard now.principal == caller.principal else { throw ConsoleCall.signInFirst }
                }
                page = try await service.exportRecords(of: type, in: scope, zoneID: zone, after: next, as: caller)
            }
        }
        let name = "\(context.container.rawValue)-\(context.environment.rawValue)-\(type ?? "records").jsonl"
        answer.headers.append(("Content-Disposition", AttachmentName.disposition(name)))
        return answer
    }
}
