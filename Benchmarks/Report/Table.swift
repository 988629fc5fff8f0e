/// Findings in columns.
struct Table {
    private static let titles = [
        "measure", "server", "value", "p50 ms", "p99 ms", "CPU µs", "others", "ratio", "goal", "verdict",
    ]
    /// Columns with numbers, which stand to the right.
    private static let numbers: Set = [2, 3, 4, 5, 6]

    private let rows: [[String]]

    init(_ findings: [Finding]) {
        var last = ""
        rows =
            [Self.titles]
            + findings.map { finding in
                defer { last = finding.measure }
                return [
                    finding.measure == last ? "" : finding.measure, finding.subject,
                    "\(Self.number(finding.value)) \(finding.unit)", Self.text(finding.p50), Self.text(finding.p99),
                    Self.text(finding.cpu), finding.foreign.map { "\(Int(($0 * 100).rounded())) %" } ?? "",
                    finding.ratio.map { "\(Self.number($0, places: 2)) × \(finding.ratioTo ?? "")" } ?? "",
                    finding.goal ?? "", finding.verdict?.rawValue ?? "",
                ]
            }
    }

    var text: String {
        let widths = Self.titles.indices.map { column in rows.map { $0[column].count }.max() ?? 0 }
        let lines = rows.map { row in
            let cells = row.indices.map { column in
                let padding = String(repeating: " ", count: widths[column] - row[column].count)
                return Self.numbers.contains(column) ? padding + row[column] : row[column] + padding
            }
            return "| " + cells.joined(separator: " | ") + " |"
        }
        let rule = widths.indices.map { column in
            String(repeating: "-", count: widths[column] + 1) + (Self.numbers.contains(column) ? ":" : "-")
        }
        return ([lines[0], "|" + rule.joined(separator: "|") + "|"] + lines.dropFirst()).joined(separator: "\n")
    }

    private static func text(_ value: Double?) -> String {
        guard let value else { return "" }
        return number(value)
    }

    /// With as many decimals as tell something.
    static func number(_ value: Double) -> String { number(value, places: value < 10 ? 2 : value < 100 ? 1 : 0) }

    /// With thousands apart: "12,345" or "0.31".
    private static func number(_ value: Double, places: Int) -> String {
        let scale = places == 0 ? 1 : places == 1 ? 10 : 100
        let scaled = Int((value * Double(scale)).rounded())
        var whole = String(scaled / scale)
        var position = whole.count - 3
        while position > 0 {
            whole.insert(",", at: whole.index(whole.startIndex, offsetBy: position))
            position -= 3
        }
        guard places > 0 else { return whole }
        let fraction = String(scaled % scale)
        return whole + "." + String(repeating: "0", count: places - fraction.count) + fraction
    }
}
