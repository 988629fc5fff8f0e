import StratusCloudService

/// The statistics of a context, as the console's page of telemetry takes them.
struct TelemetryAnswer {
    let series: FigureSeries
    /// The operation whose latency is shown over time; nil for all together.
    let operation: String?

    func console(quota: ConsoleJSON) -> ConsoleAnswer {
        let requests: [(String, ConsoleJSON)] = [
            ("requests", numbers { Int64(clamping: $0.apps.requests) }), ("errors", errors(\.apps)),
            ("latency50", latencies(0.5)), ("latency95", latencies(0.95)), ("latency99", latencies(0.99)),
            ("toolRequests", numbers { Int64(clamping: $0.tool.requests) }),
        ]
        return ConsoleAnswer([
            "step": .integer(series.step / 1_000), "from": .integer(series.from),
            "series": .object(requests + storage),
            "operations": operations(\.apps), "toolOperations": operations(\.tool),
            "quota": quota,
        ])
    }

    private var storage: [(String, ConsoleJSON)] {
        [
            ("recordBytes", numbers { $0.usage?.recordBytes }), ("assetBytes", numbers { $0.usage?.assetBytes }),
            ("records", numbers { $0.usage?.records }),
            ("publicRecordBytes", numbers { $0.levels?.publicDatabase.recordBytes }),
            ("publicAssetBytes", numbers { $0.levels?.publicDatabase.assetBytes }),
            ("publicRecordQuota", numbers { $0.levels?.quotas.publicRecords }),
            ("publicAssetQuota", numbers { $0.levels?.quotas.publicAssets }),
            ("userRecordBytes", numbers { $0.levels?.fullestPrivate.recordBytes }),
            ("userAssetBytes", numbers { $0.levels?.fullestPrivate.assetBytes }),
            ("userRecordQuota", numbers { $0.levels?.quotas.privateRecords }),
            ("userAssetQuota", numbers { $0.levels?.quotas.privateAssets }),
        ]
    }

    private func numbers(_ value: (FigureSample) -> Int64?) -> ConsoleJSON {
        .array(series.samples.map { sample in value(sample).map { .integer($0) } ?? .null })
    }

    private func latencies(_ part: Double) -> ConsoleJSON {
        .array(
            series.samples.map { sample in
                let times = operation.map { sample.apps.operations[$0] } ?? sample.apps.latencies
                return Self.milliseconds(times, part)
            })
    }

    /// The failed requests of each operation over time.
    private func errors(_ part: (FigureSample) -> RequestStatistics) -> ConsoleJSON {
        let operations = Set(series.samples.flatMap { part($0).errors.keys }).sorted()
        return .object(
            operations.map { operation in
                (operation, numbers { Int64(clamping: part($0).errors[operation] ?? 0) })
            })
    }

    /// The sums of each operation over all of the time, those with the most requests first. Earlier versions counted the
    /// errors of an operation only.
    private func operations(_ part: (FigureSample) -> RequestStatistics) -> ConsoleJSON {
        let sum = series.samples.reduce(into: RequestStatistics()) { $0.add(part($1)) }
        let names = Set(sum.operations.keys).union(sum.errors.keys)
        let sorted = names.map { (name: $0, times: sum.operations[$0], requests: sum.operations[$0]?.count ?? 0) }
            .sorted { ($1.requests, $0.name) < ($0.requests, $1.name) }
        return .array(
            sorted.map { entry in
                [
                    "operation": .string(entry.name),
                    "requests": entry.times == nil ? .null : .integer(Int64(clamping: entry.requests)),
                    "errors": .integer(Int64(clamping: sum.errors[entry.name] ?? 0)),
                    "latency50": Self.milliseconds(entry.times, 0.5),
                    "latency95": Self.milliseconds(entry.times, 0.95),
                    "latency99": Self.milliseconds(entry.times, 0.99),
                ]
            })
    }

    private static func milliseconds(_ times: LatencyHistogram?, _ part: Double) -> ConsoleJSON {
        times?.quantile(part).map { .double($0) } ?? .null
    }
}
