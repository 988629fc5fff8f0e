import FoundationEssentials
import Glibc

/// Data directories with articles, imported once.
final class DataSets {
    private let settings: Settings
    private let tool: StratusTool
    private var made: [Int: StratusData] = [:]
    /// Records a second of imports that were carried out in this run.
    private(set) var importRates: [Int: Double] = [:]

    init(_ settings: Settings, tool: StratusTool) {
        self.settings = settings
        self.tool = tool
    }

    func articles(_ count: Int) throws -> StratusData {
        if let data = made[count] { return data }
        let path = "\(settings.keepsData ? settings.directory : tool.directory)/articles-\(count)"
        let mark = path + ".complete"
        let data: StratusData
        if FileManager.default.fileExists(atPath: mark) {
            data = try StratusData(existing: path, .production, tool: tool)
        } else {
            if FileManager.default.fileExists(atPath: path) { try FileManager.default.removeItem(atPath: path) }
            data = try StratusData.make(at: path, .production, tool: tool)
            try fill(data, count)
            try "".write(toFile: mark, atomically: false, encoding: .utf8)
        }
        made[count] = data
        return data
    }

    /// Imports articles into a data directory that no server uses.
    func fill(_ data: StratusData, _ count: Int) throws {
        Progress.say("Importing \(count) records")
        let file = "\(tool.directory)/articles.jsonl"
        try write(count, to: file)
        defer { unlink(file) }
        let start = Clock.now()
        try tool.run(["import"] + data.target + [file], data: data.path)
        importRates[count] = Double(count) / Clock.seconds(since: start)
    }

    private func write(_ count: Int, to path: String) throws {
        guard let file = fopen(path, "w") else { throw BenchmarkError("\(path) cannot be written: errno \(errno)") }
        for number in 0..<count { fputs(Article.line(number, of: count) + "\n", file) }
        guard fclose(file) == 0 else { throw BenchmarkError("\(path) cannot be written: errno \(errno)") }
    }
}
