import StratusCloudModel
import StratusCloudService
import StratusHTTPTransport

/// What a container's people do, in numbers, and its log.
enum ConsoleTelemetry {
    static let routes = [
        ConsoleRoute("GET", "c/:container/:environment/telemetry", .team(.seeTelemetry), figures),
        ConsoleRoute("GET", "c/:container/:environment/log", .team(.seeTelemetry), log),
        ConsoleRoute("GET", "c/:container/:environment/users", .team(.seeTelemetry), users),
        ConsoleRoute("GET", "c/:container/:environment/pushes", .team(.seeTelemetry), pushes),
    ]

    private static func figures(_ call: ConsoleCall) async throws(CloudError) -> ConsoleAnswer {
        guard let minutes = Int(call.query("minutes") ?? "60") else {
            throw CloudError(.badRequest, "minutes must be a number")
        }
        let context = try call.context()
        let series = try await call.service.figures(
            of: context, minutes: minutes, current: call.meter.recorder(of: context).current.sample)
        let samples = series.samples
        let operations = Set(samples.flatMap(\.errors.keys)).sorted()
        func numbers(_ value: (FigureSample) -> Int64?) -> ConsoleJSON {
            .array(samples.map { sample in value(sample).map { .integer($0) } ?? .null })
        }
        func latencies(_ part: Double) -> ConsoleJSON {
            .array(samples.map { sample in sample.latency(of: part).map { .double($0) } ?? .null })
        }
        return ConsoleAnswer([
            "step": .integer(series.step / 1_000), "from": .integer(series.from),
            "series": [
                "requests": numbers { Int64(clamping: $0.requests) },
                "errors": .object(
                    operations.map { operation in
                        (operation, numbers { Int64(clamping: $0.errors[operation] ?? 0) })
                    }),
                "latency50": latencies(0.5), "latency99": latencies(0.99),
                "recordBytes": numbers { $0.usage?.recordBytes }, "assetBytes": numbers { $0.usage?.assetBytes },
                "records": numbers { $0.usage?.records },
                "publicRecordBytes": numbers { $0.levels?.publicDatabase.recordBytes },
                "publicAssetBytes": numbers { $0.levels?.publicDatabase.assetBytes },
                "publicRecordQuota": numbers { $0.levels?.quotas.publicRecords },
                "publicAssetQuota": numbers { $0.levels?.quotas.publicAssets },
                "userRecordBytes": numbers { $0.levels?.fullestPrivate.recordBytes },
                "userAssetBytes": numbers { $0.levels?.fullestPrivate.assetBytes },
                "userRecordQuota": numbers { $0.levels?.quotas.privateRecords },
                "userAssetQuota": numbers { $0.levels?.quotas.privateAssets },
            ],
            "quota": ConsoleSettings.quotas(call.service),
        ])
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

    /// Server-sent events, one for each line: first the latest there are, then those that come.
    private static func log(_ call: ConsoleCall) async throws(CloudError) -> ConsoleAnswer {
        let filter = try ConsoleLogFilter(
            operation: call.query("operation"), status: call.query("status"), level: call.query("level"))
        let recorder = call.meter.recorder(of: try call.context())
        let follows = call.query("follow") != "0"
        return try .stream("text/event-stream", of: call) { writer, watch in
            try await write(recorder, filter, follows: follows, to: writer, watch)
        }
    }

    private static func write(
        _ recorder: ContextRecorder, _ filter: ConsoleLogFilter, follows: Bool, to writer: HTTPBodyWriter,
        _ watch: ConsoleWatch
    ) async throws {
        var (lines, next) = recorder.lines(from: 0)
        lines = lines.filter(filter.shows).suffix(FigureLimits.firstLogLines)
        try await writer.write(Array("retry: 2000\n\n".utf8) + events(lines))
        var lastWritten = ContinuousClock.now
        while follows {
            try await Task.sleep(for: ServerLimits.logPause)
            let isSilent = ContinuousClock.now - lastWritten >= ServerLimits.logHeartbeat
            if watch.isDue {
                do throws(CloudError) {
                    try await watch.check()
                } catch {
                    return
                }
            }
            (lines, next) = recorder.lines(from: next)
            lines = lines.filter(filter.shows)
            guard !lines.isEmpty || isSilent else { continue }
            try await writer.write(lines.isEmpty ? Array(":\n\n".utf8) : events(lines))
            lastWritten = .now
        }
    }

    private static func events(_ lines: [ConsoleLogLine]) -> [UInt8] {
        lines.flatMap { Array("data: ".utf8) + $0.json.bytes + Array("\n\n".utf8) }
    }
}
