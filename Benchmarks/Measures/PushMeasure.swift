import Glibc

/// From the acknowledgement of a save to the first byte at those who listen; and what ten thousand who wait cost.
struct PushMeasure {
    let bench: Bench

    private static let people = 100
    private static let devicesOfOne = 10
    private static let pollsOfOne = 100
    private static let writesPerSecond = 200
    private static let greatestRatio = 4.0
    private static let greatestPoll = 16.0
    /// Seconds within which the last of a broadcast must have come.
    private static let patience = 30.0

    func findings() throws -> [Finding] {
        let fresh = try bench.freshStratus(.production)
        defer { fresh.remove() }
        let server = fresh.server
        Progress.say("push: \(Self.people) people")
        let people = try StratusPeople(Self.people, on: server)
        // Each person's is told of by a title of its own, and all by one.
        for person in 0..<Self.people {
            try people.subscribe([(Article.recordType, "to \(person)"), (Article.recordType, "all")], of: person)
        }
        return try latency(server, people) + idle(server, people)
    }

    private static func save(_ number: Int, to title: String, _ path: String) -> [UInt8] {
        let fields =
            #"{"title":{"value":"\#(title)"},"body":{"value":"\#(Article.body)"},"count":{"value":\#(number)}}"#
        let body =
            #"{"operations":[{"operationType":"create","record":{"recordType":"\#(Article.recordType)","#
            + #""recordName":"w\#(number)","fields":\#(fields)}}]}"#
        return Array(
            ("POST \(path) HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: \(body.utf8.count)\r\n\r\n" + body).utf8)
    }

    private func latency(_ server: Stratus, _ people: StratusPeople) throws -> [Finding] {
        let listeners = Listeners(port: server.port)
        for person in 0..<Self.people {
            for (index, device) in try people.devices(Self.devicesOfOne, of: person).enumerated() {
                let isStream = index % 2 == 0
                try listeners.add(path: isStream ? device.events : device.poll, isStream: isStream)
            }
        }
        listeners.start()
        sleep(1)
        Progress.say("push: \(Self.people * Self.devicesOfOne) listeners, \(Self.writesPerSecond) writes a second")
        let path = server.data.path("records/modify")
        let before = CPUTimes(server)
        let writes = try PacedWrites(
            port: server.port, perSecond: Self.writesPerSecond, seconds: max(bench.settings.seconds, 5) * 2
        ) { number in Self.save(number, to: "to \(number % Self.people)", path) }.run()
        let expected = writes.count * Self.devicesOfOne
        let start = Clock.now()
        while listeners.arrivals.count < expected, Clock.seconds(since: start) < Self.patience { usleep(10_000) }
        let times = CPUTimes(server) - before
        let acknowledged = Dictionary(uniqueKeysWithValues: writes.map { ($0.number, $0.acknowledged) })
        let delays = listeners.arrivals.compactMap { arrival in
            acknowledged[arrival.number].map { Double(arrival.time > $0 ? arrival.time - $0 : 0) / 1e6 }
        }.sorted()
        guard delays.count == expected else {
            throw BenchmarkError("\(delays.count) notifications came of \(expected)")
        }
        let saves = writes.map { Double($0.acknowledged - $0.sent) / 1e6 }.sorted()
        var save = Finding("push", "the saves", Double(Self.writesPerSecond), "writes/s")
        (save.p50, save.p99) = (saves[saves.count / 2], saves[saves.count * 99 / 100])
        var push = Finding("push", "acknowledgement to first byte", Double(delays.count), "notifications")
        (push.p50, push.p99) = (delays[delays.count / 2], delays[delays.count * 99 / 100])
        push.cpu = times.server * 1e6 / Double(delays.count)
        push.ratio = delays[delays.count * 99 / 100] / saves[saves.count * 99 / 100]
        push.ratioTo = "p99 of a save"
        return [save, push.judged("p99 < 4 × p99 of a save", (push.ratio ?? .infinity) < Self.greatestRatio)]
    }

    private func idle(_ server: Stratus, _ people: StratusPeople) throws -> [Finding] {
        let count = Self.people * Self.pollsOfOne
        Progress.say("push: \(count) idle polls")
        // Making the devices is not what is measured, and it takes the others' place.
        let paths = try (0..<Self.people).flatMap { try people.devices(Self.pollsOfOne, of: $0).map(\.poll) }
        let before = ProcessTree.residentSize(server.processes[0])
        let listeners = Listeners(port: server.port)
        for path in paths { try listeners.add(path: path, isStream: false) }
        listeners.start()
        sleep(5)
        let each = (ProcessTree.residentSize(server.processes[0]) - before) * 1_024 / Double(count)
        let load = try bench.sample(server, server.lookups(of: ["w1"]), seconds: bench.settings.seconds)
        let early = listeners.answers
        let start = Clock.now()
        let socket = try TCP.connect(port: server.port)
        try TCP.send(Self.save(1_000_000, to: "all", server.data.path("records/modify")), on: socket)
        while listeners.arrivals.count < count, Clock.seconds(since: start) < Self.patience { usleep(1_000) }
        let seconds = Clock.seconds(since: start)
        close(socket)
        let arrived = listeners.arrivals.count
        let note =
            "\(listeners.closed) connections dropped, \(early) answered early; \(Int(load.result.perSecond)) lookups/s "
            + "meanwhile, p99 \(Table.number(load.result.p99)) ms"
        var broadcast = Finding("push", "broadcast to \(count) polls", Double(arrived), "reached")
        broadcast.note = "the last after \(Table.number(seconds)) s"
        return [
            Finding("push", "\(count) idle polls", each, "KiB each").noted(note)
                .judged("≤ 16 KiB, none dropped", each <= Self.greatestPoll && listeners.closed == 0),
            broadcast.judged("all", arrived == count),
        ]
    }
}
