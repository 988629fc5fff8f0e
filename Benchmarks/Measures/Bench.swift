/// What measures share: settings, the run's directory, and the tool under test.
final class Bench {
    let settings: Settings
    let directory: String
    let tool: StratusTool
    let dataSets: DataSets
    private var kinto: Kinto?

    init(_ settings: Settings) throws {
        self.settings = settings
        directory = try TemporaryDirectory(in: settings.directory).path
        tool = StratusTool(binary: settings.stratus, directory: directory)
        dataSets = DataSets(settings, tool: tool)
    }

    /// A server on a new data directory.
    func freshStratus(_ indexes: Article.Indexes = .production) throws -> FreshStratus {
        try FreshStratus(indexes, tool: tool, in: directory)
    }

    /// Kinto, which is set up once.
    func sharedKinto() throws -> Kinto {
        if let kinto { return kinto }
        Progress.say("Starting Kinto")
        let kinto = try Kinto(settings, in: directory)
        self.kinto = kinto
        return kinto
    }

    func stopKinto() {
        kinto?.stop()
        kinto = nil
    }

    /// Loads a server and looks at what that took.
    func sample(
        _ server: any Server, _ script: LoadScript, seconds: Int? = nil,
        connections: Int = Settings.connections
    ) throws -> Sample {
        let before = CPUTimes(server)
        let result = try Wrk.run(
            script, port: server.port, seconds: seconds ?? settings.seconds, in: directory, connections: connections,
            mayFail: server.refusesUnderLoad)
        return Sample(result: result, times: CPUTimes(server) - before)
    }
}

/// A server on a data directory that goes with it.
final class FreshStratus {
    let server: Stratus
    let directory: TemporaryDirectory

    init(_ indexes: Article.Indexes, tool: StratusTool, in parent: String) throws {
        directory = try TemporaryDirectory(in: parent)
        server = try Stratus(try StratusData.make(at: "\(directory.path)/data", indexes, tool: tool))
    }

    /// Stops the server, too.
    func remove() {
        server.stop()
        directory.remove()
    }
}
