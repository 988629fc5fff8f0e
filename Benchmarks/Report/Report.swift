import FoundationEssentials

/// All that a run found, as it is written to a file.
struct Report: Codable {
    var date: String
    var machine: [String]
    var versions: [String]
    var settings: [String]
    var findings: [Finding]
    /// Measures that could not be carried out, and why.
    var failures: [String]

    /// Of the machine's CPU time in a round, what others may use.
    private static let greatestForeignShare = 0.12

    var json: String {
        get throws {
            let encoder = JSONEncoder()
            encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
            return String(decoding: try encoder.encode(self), as: UTF8.self)
        }
    }

    var text: String {
        let head = ["Stratus benchmarks, \(date)"] + machine + versions + settings
        let body = Table(findings).text
        let notes = findings.filter { $0.note != nil }.map { "\($0.measure), \($0.subject): \($0.note ?? "")" }
        let foreign = findings.compactMap(\.foreign).max() ?? 0
        var parts = [head.joined(separator: "\n"), body]
        if !notes.isEmpty { parts.append(notes.joined(separator: "\n")) }
        if foreign > Self.greatestForeignShare {
            parts.append("Others used much of the CPU (column 'others'), so the ratios say little. Run it alone.")
        }
        if !failures.isEmpty { parts.append("Not measured:\n" + failures.joined(separator: "\n")) }
        return parts.joined(separator: "\n\n")
    }

    var isGood: Bool { failures.isEmpty && !findings.contains { $0.verdict == .missed } }
}
