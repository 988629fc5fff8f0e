import FoundationEssentials
import Glibc
import StratusCloudServer

/// Shows how far a check is while it goes on: what was read, how quickly, and how long the rest will take.
struct CheckWatch: Sendable {
    /// Between two looks.
    private static let pause = Duration.seconds(1)
    /// Looks between two lines where standard error is no terminal.
    private static let looksPerLine = 10

    private let operation: any Operator
    private let output: Output

    init(_ operation: any Operator, _ output: Output) {
        self.operation = operation
        self.output = output
    }

    /// Runs a check.
    /// - Parameters:
    ///   - title: what it does.
    ///   - total: rows that it will read at most, if known.
    ///   - request: the check under the name that it is given.
    /// - Returns: the answer, refusals as errors.
    func run(
        _ title: String, ofRows total: UInt64? = nil, _ request: (_ name: String) -> ControlRequest
    ) async throws(ToolError) -> ControlResponse {
        let name = UUID().uuidString
        guard output.showsProgress else { return try await operation.perform(request(name)) }
        let watch = Task { await show(title, total, name) }
        do throws(ToolError) {
            let answer = try await operation.perform(request(name))
            watch.cancel()
            await watch.value
            return answer
        } catch {
            watch.cancel()
            await watch.value
            throw error
        }
    }

    private func show(_ title: String, _ total: UInt64?, _ name: String) async {
        let isTerminal = isatty(STDERR_FILENO) == 1
        let start = ContinuousClock.now
        var looks = 0
        while true {
            do {
                try await Task.sleep(for: Self.pause)
                guard
                    case .checkProgress(let rows, let bytes) = try await operation.answer(
                        to: .checkProgress(name: name))
                else { continue }
                looks += 1
                let state = CheckState(
                    rows: rows, total: total, assetBytes: bytes, elapsed: ContinuousClock.now - start)
                if isTerminal {
                    output.note("\r\u{1B}[K\(title): \(state.text)", terminator: "")
                } else if looks.isMultiple(of: Self.looksPerLine) {
                    output.note("\(title): \(state.text)")
                }
            } catch {
                // The check is over, or nobody can say how far it is.
                if isTerminal, looks > 0 { output.note("\r\u{1B}[K", terminator: "") }
                return
            }
        }
    }
}

/// How far a check is at one moment.
struct CheckState {
    let rows: UInt64
    let total: UInt64?
    let assetBytes: UInt64
    let elapsed: Duration

    /// Such as `5,200,000 of 14,000,000 rows, 900,000 rows/s, 10 s left`.
    var text: String {
        let seconds = max(0.001, Double(elapsed.components.seconds) + Double(elapsed.components.attoseconds) * 1e-18)
        let rate = Double(rows) / seconds
        var parts: [String] = []
        if let total, total >= rows {
            parts.append("\(Self.grouped(rows)) of \(Self.grouped(total)) rows")
        } else {
            parts.append("\(Self.grouped(rows)) rows")
        }
        parts.append("\(Self.grouped(UInt64(rate))) rows/s")
        if assetBytes > 0 {
            parts.append("\(Self.grouped(assetBytes >> 20)) MiB of assets")
            parts.append("\(Self.grouped(UInt64(Double(assetBytes >> 20) / seconds))) MiB/s")
        } else if let total, total > rows, rate >= 1 {
            parts.append("\(Self.grouped(UInt64((Double(total - rows) / rate).rounded(.up)))) s left")
        }
        return parts.joined(separator: ", ")
    }

    private static func grouped(_ number: UInt64) -> String {
        var text = ""
        for (index, digit) in String(number).reversed().enumerated() {
            if index > 0, index.isMultiple(of: 3) { text.append(",") }
            text.append(digit)
        }
        return String(text.reversed())
    }
}
