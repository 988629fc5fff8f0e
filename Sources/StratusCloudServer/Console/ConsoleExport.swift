import StratusCloudModel
import StratusCloudService
import StratusCloudWire
import StratusHTTPTransport

/// Records as a file: a line of JSON for each, written while they are read.
enum ConsoleExport {
    static let routes = [
        ConsoleRoute("GET", "c/:container/:environment/export", .team(.readData), export)
    ]

    /// Records, and where to go on; nil at the end.
    private typealias Page = (records: [Record], next: String?)

    /// What is exported, page by page.
    private struct Source: Sendable {
        /// What the records are called in the file's name.
        let name: String
        /// In whose name they are read, by what is true now.
        let caller: @Sendable () async throws(CloudError) -> Caller
        /// What comes behind a place; nil at the beginning.
        let page: @Sendable (_ after: String?, Caller) async throws(CloudError) -> Page
    }

    private static func export(_ call: ConsoleCall) async throws(CloudError) -> ConsoleAnswer {
        let context = try call.context()
        let source: Source
        if let query = call.query("query") {
            source = try found(by: query, call)
        } else {
            source = try zone(call)
        }
        let caller = try await source.caller()
        // What cannot be exported is refused, not broken off.
        let first = try await source.page(nil, caller)
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
                    guard try await source.caller().principal == caller.principal else { throw ConsoleCall.signInFirst }
                }
                page = try await source.page(next, caller)
            }
        }
        let name = "\(context.container.rawValue)-\(context.environment.rawValue)-\(source.name).jsonl"
        answer.headers.append(("Content-Disposition", AttachmentName.disposition(name)))
        return answer
    }

    private static func scope(_ call: ConsoleCall) throws(CloudError) -> DatabaseScope {
        guard let scope = DatabaseScope(rawValue: call.query("database") ?? "public") else {
            throw CloudError(.badRequest, "database must be public, private or shared")
        }
        return scope
    }

    /// All records of a zone, or those of a type, whatever indexes there are.
    private static func zone(_ call: ConsoleCall) throws(CloudError) -> Source {
        let context = try call.context()
        let scope = try scope(call)
        guard scope != .shared else {
            throw CloudError(.badRequest, "the shared database can only be exported with a query")
        }
        let zone = ZoneID(zoneName: call.query("zone") ?? ZoneID.defaultZoneName)
        let type = call.query("type")
        let developer = try call.signedIn()
        let service = call.service
        return Source(name: type ?? "records") { () throws(CloudError) in
            try await service.exporter(for: developer, in: context)
        } page: { after, caller throws(CloudError) in
            let page = try await service.exportRecords(of: type, in: scope, zoneID: zone, after: after, as: caller)
            return (page.records, page.next)
        }
    }

    /// What a query finds, in its order; it is one as the body of `records/query` has it.
    private static func found(by query: String, _ call: ConsoleCall) throws(CloudError) -> Source {
        var request = try call.webServices.decoder.queryRecords(Array(query.utf8)).request
        request.resultsLimit = nil
        request.desiredKeys = nil
        let scope = try scope(call)
        let user = call.query("as")
        let asked = request
        let service = call.service
        return Source(name: request.query.recordType) { () throws(CloudError) in
            try await ConsoleData.caller(call, scope, isAboutRecords: true, standingInFor: user)
        } page: { marker, caller throws(CloudError) in
            var request = asked
            request.continuationMarker = marker
            let page = try await service.queryRecords(request, in: scope, as: caller)
            return (page.records, page.continuationMarker)
        }
    }
}
