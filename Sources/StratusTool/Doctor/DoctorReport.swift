/// What `stratus doctor` found, check by check.
struct DoctorReport: Encodable {
    enum Status: String, Encodable {
        case ok
        /// Worth knowing, and no reason to fail.
        case warning
        case failed
        /// Was wrong, and is right again.
        case repaired
    }

    struct Check: Encodable {
        let name: String
        let status: Status
        /// What was looked at, or is wrong; for people.
        let detail: String
    }

    private(set) var checks: [Check] = []
    private(set) var healthy = true

    mutating func add(_ name: String, _ status: Status, _ detail: String) {
        checks.append(Check(name: name, status: status, detail: detail))
        if status == .failed { healthy = false }
    }

    /// A line for each check.
    var text: String {
        let lines = checks.map { "\($0.status.rawValue.padded(to: 9))\($0.name.padded(to: 15))\($0.detail)" }
        return lines.joined(separator: "\n")
    }
}

extension String {
    fileprivate func padded(to width: Int) -> String { self + String(repeating: " ", count: max(1, width - count)) }
}
