import StratusCloudModel
import StratusCloudService
import StratusHTTPTransport

/// The statistics of a container's environment, its log, its users and its notifications.
enum ConsoleTelemetry {
    static let routes = [
        ConsoleRoute("GET", "c/:container/:environment/telemetry", .team(.seeTelemetry), statistics),
        ConsoleRoute("GET", "c/:container/:environment/log", .team(.seeTelemetry), log),
        ConsoleRoute("GET", "c/:container/:environment/users", .team(.seeTelemetry), users),
        ConsoleRoute("GET", "c/:container/:environment/pushes", .team(.seeTelemetry), pushes),
    ]

    private static func statistics(_ call: ConsoleCall) async throws(CloudError) -> ConsoleAnswer {
        guard let minutes = Int(call.query("minutes") ?? "60") else {
            throw CloudError(.badRequest, "minutes must be a number")
        }
        let operation = call.query("operation")
        if let operation, WebServiceOperation(rawValue: operation) == nil {
            throw CloudError(.badRequest, "operation must be one of the web services, such as records/query")
        }
        let context = try call.context()
        let series = try await call.service.figures(
            of: context, minutes: minutes, current: call.meter.recorder(of: context).current.sample)
        return TelemetryAnswer(series: series, operation: operation).console(
            quota: ConsoleSettings.quotas(call.service))
    }

    private static func users(_ call: ConsoleCall) async throws(CloudError) -> ConsoleAnswer {
        let context = try call.context()
        let after = call.query("after")
        let page = try await call.service.discoverableUsers(after: after, in: context)
        var members: [(String, ConsoleJSON)] = [
            (
                "discoverable",
                .array(
                    page.users.map { user in
                        ["userRecordName": .string(user.userRecordName), "name": ConsoleJSON(user.fullName)]
                    })
            ),
            ("next", ConsoleJSON(page.next)),
        ]
        // Counting reads everybody: once is enough for all pages.
        if after == nil {
            let counts = try await call.service.userCounts(
                of: context, current: call.meter.recorder(of: context).current.users)
            members += [
                ("all", ConsoleJSON(counts.all)), ("day", ConsoleJSON(counts.day)), ("week", ConsoleJSON(counts.week)),
                ("month", ConsoleJSON(counts.month)),
            ]
        }
        return ConsoleAnswer(.object(members))
    }

    private static func pushes(_ call: ConsoleCall) async throws(CloudError) -> ConsoleAnswer {
        let pushes = call.service.recentPushes(in: try call.context())
        return ConsoleAnswer([
            "pushes": .array(
                pushes.map { push in
                    [
                        "time": .integer(push.time), "subscriptionID": ConsoleJSON(push.subscriptionID),
                        "database": .string(push.scope.rawValue), "kind": .string(push.kind),
                        "channel": .string(push.channel), "outcome": .string(push.outcome),
                        "recordType": ConsoleJSON(push.recordType), "zone": ConsoleJSON(push.zoneName),
                    ]
                })
        ])
    }

    // MARK: - The log

    /// Server-sent events, one for each line: first those that are kept, then new ones as they come, until the end of
    /// the range of time.
    private static func log(_ call: ConsoleCall) async throws(CloudError) -> ConsoleAnswer {
        let filter = try ConsoleLogFilter(
            operation: call.query("operation"), status: call.query("status"), level: call.query("level"),
            time: try ConsoleLogRange(from: call.query("from"), to: call.query("to")))
        let recorder = call.meter.recorder(of: try call.context())
        let follows = call.query("follow") != "0"
        let service = call.service
        return try .stream("text/event-stream", of: call) { writer, watch in
            try await write(recorder, filter, follows: follows, now: { service.now }, to: writer, watch)
        }
    }

    private static func write(
        _ recorder: ContextRecorder, _ filter: ConsoleLogFilter, follows: Bool, now: @Sendable () -> Int64,
        to writer: HTTPBodyWriter, _ watch: ConsoleWatch
    ) async throws {
        var time = now()
        var (lines, next) = recorder.lines(from: 0)
        // A range of time is shown whole; without one, what happened last.
        let limit = filter.time.isUnlimited ? FigureLimits.firstLogLines : FigureLimits.logLines
        lines = lines.filter(filter.shows).suffix(limit)
        try await writer.write(Array("retry: 2000\n\n".utf8) + events(lines))
        var lastWritten = ContinuousClock.now
        while follows, !filter.time.isOver(at: time) {
            try await Task.sleep(for: ServerLimits.logPause)
            let isSilent = ContinuousClock.now - lastWritten >= ServerLimits.logHeartbeat
            if watch.isDue {
                do throws(CloudError) {
                    try await watch.check()
                } catch {
                    return
                }
            }
            time = now()
            (lines, next) = recorder.lines(from: next)
            lines = lines.filter(filter.shows)
            guard !lines.isEmpty || isSilent else { continue }
            try await writer.write(lines.isEmpty ? Array(":\n\n".utf8) : events(lines))
            lastWritten = .now
        }
        try await writer.write(end)
    }

    /// Says that no line will follow, so that the reader does not connect again.
    private static let end = Array("event: end\ndata:{}\n\n".utf8)

    private static func events(_ lines: [ConsoleLogLine]) -> [UInt8] {
        lines.flatMap { Array("data: ".utf8) + $0.json.bytes + Array("\n\n".utf8) }
    }
}
