/// One round of one server.
struct Sample {
    let result: Wrk.Result
    let times: CPUTimes

    /// The server's CPU microseconds per request.
    var cpu: Double { times.server * 1e6 / Double(result.successes) }
    /// What others used of the CPU time that was used.
    var foreign: Double { max(0, (times.machine - times.server - times.generator) / max(times.machine, 0.01)) }
}

/// CPU seconds.
struct CPUTimes {
    var server, generator, machine: Double

    init(_ server: any Server) {
        self.server = ProcessTree.cpuSeconds(server.processes)
        generator = ProcessTree.endedChildrenSeconds()
        machine = ProcessTree.machineSeconds()
    }

    static func - (later: Self, earlier: Self) -> Self {
        var difference = later
        difference.server -= earlier.server
        difference.generator -= earlier.generator
        difference.machine -= earlier.machine
        return difference
    }
}

/// Servers that take turns, so that what changes on the machine meets all of them.
struct Rounds {
    struct Contestant {
        let name: String
        let round: () throws -> Sample
    }

    private(set) var samples: [String: [Sample]] = [:]

    init(_ count: Int, _ measure: String, _ contestants: [Contestant]) throws {
        for round in 1...count {
            for contestant in contestants {
                Progress.say("\(measure), round \(round) of \(count): \(contestant.name)")
                samples[contestant.name, default: []].append(try contestant.round())
            }
        }
    }

    /// The medians of a server.
    /// - Parameter items: Per request, where they are counted instead of requests.
    func finding(_ measure: String, _ name: String, items: Int = 1, unit: String) -> Finding {
        let samples = samples[name] ?? []
        var finding = Finding(
            measure, name, median(samples.map { $0.result.perSecond * Double(items) }), unit)
        finding.p50 = median(samples.map(\.result.p50))
        finding.p99 = median(samples.map(\.result.p99))
        finding.cpu = median(samples.map { $0.cpu / Double(items) })
        finding.foreign = median(samples.map(\.foreign))
        let refused = samples.reduce(0) { $0 + $1.result.failures }
        if refused > 0 {
            let requests = samples.reduce(0) { $0 + $1.result.requests }
            finding.note = "refused \(refused) of \(requests) requests, which are not counted"
        }
        return finding
    }
}

extension Finding {
    func compared(to other: Finding, _ name: String) -> Finding {
        var finding = self
        finding.ratio = value / other.value
        finding.ratioTo = name
        return finding
    }
}

/// The middle value, or the mean of both.
func median(_ values: [Double]) -> Double {
    guard !values.isEmpty else { return .nan }
    let sorted = values.sorted()
    return (sorted[(sorted.count - 1) / 2] + sorted[sorted.count / 2]) / 2
}
