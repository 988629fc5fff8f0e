import FoundationEssentials

/// The tool under test, to prepare data.
struct StratusTool {
    let binary: String
    /// For temporary files and logs.
    let directory: String

    var log: String { "\(directory)/stratus.log" }

    @discardableResult
    func run(_ arguments: [String], data: String, input: String = "/dev/null") throws -> String {
        try Program.run([binary, "--data", data, "--json"] + arguments, log: log, input: input)
    }

    func run<Answer: Decodable>(_ arguments: [String], data: String, as: Answer.Type) throws -> Answer {
        try JSONDecoder().decode(Answer.self, from: Data(try run(arguments, data: data).utf8))
    }
}
