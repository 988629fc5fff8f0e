import FoundationEssentials
import Glibc
import StratusCommandLine

/// What the command line asks for.
struct Settings: Sendable {
    /// The binary under test.
    let stratus: String
    /// Where data sets, Python packages and everything temporary lie; on the disk that is to be measured.
    let directory: String
    let isQuick: Bool
    /// Names of the only measures wanted, empty for all.
    let only: [String]
    let soakMinutes: Double
    let json: String?
    /// Whether the large data sets are kept for the next run.
    let keepsData: Bool
    let rounds: Int
    /// Seconds that a round loads each server.
    let seconds: Int

    /// Records in the large data set.
    var records: Int { isQuick ? 100_000 : 1_000_000 }

    /// Records in the small data set.
    static let fewRecords = 10_000
    /// Records that one request creates, and that a page has.
    static let batch = 200
    static let connections = 64
    static let threads = 2

    func wants(_ measure: String) -> Bool { only.isEmpty || only.contains(measure) }
}

extension Settings {
    private enum Options {
        static let stratus = Option.optional("stratus", .string("file"), help: "The tool; beside this one if left out")
        static let directory = Option.value(
            "directory", .string("directory"), default: "/var/tmp/stratus-bench",
            help: "For data sets and everything temporary; its disk is the one that is measured")
        static let quick = Option.flag("quick", help: "100,000 records and rounds of 2 seconds, to see that all works")
        static let only = Option.repeated(
            "only", .choice(placeholder: "measure") as ValueKind<Measure>, help: "Only this measure")
        static let soak = Option.value(
            "soak", .integer(0...1_440, placeholder: "minutes"), default: 1,
            help: "How long memory is watched under load; the goal is for 10 minutes")
        static let json = Option.optional("json", .string("file"), help: "Writes the table as JSON, too")
        static let keep = Option.flag("keep", help: "Keeps the large data sets for the next run")
        static let rounds = Option.value(
            "rounds", .integer(1...99), default: 3, help: "Rounds, of which the medians are shown")
        static let seconds = Option.optional("seconds", .integer(1...600), help: "Seconds a round; 8 if left out")
        static let all: [any ParameterDeclaring] = [
            stratus, directory, quick, only, soak, json, keep, rounds, seconds,
        ]
    }

    /// The command, which hands its settings to `body`.
    static func command(_ body: @escaping @Sendable (Settings) throws -> Int32) -> Command {
        Command(
            "stratus-bench", summary: "Measures Stratus beside nginx, etcd, SQLite and Kinto",
            discussion: "Starts everything itself on free ports of 127.0.0.1 and ends it. Nothing else should run on "
                + "the machine meanwhile. Exit codes: 0 if all goals are met, 1 for a failure, 3 for a missed goal.",
            options: Options.all
        ) { values in try body(Settings(values)) }
    }

    private init(_ values: Values) {
        stratus = values[Options.stratus] ?? Self.sibling("stratus")
        directory = values[Options.directory]
        isQuick = values[Options.quick]
        only = values[Options.only].map(\.rawValue)
        soakMinutes = Double(values[Options.soak])
        json = values[Options.json]
        keepsData = values[Options.keep]
        rounds = values[Options.rounds]
        seconds = values[Options.seconds] ?? (isQuick ? 2 : 8)
    }

    private static func sibling(_ name: String) -> String {
        let own = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
        return (own ?? "").split(separator: "/").dropLast().reduce("") { $0 + "/" + $1 } + "/" + name
    }
}
