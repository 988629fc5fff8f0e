/// A line of the table: one server in one measure.
struct Finding: Codable {
    enum Verdict: String, Codable { case met, missed }

    var measure: String
    var subject: String
    var value: Double
    var unit: String
    /// Milliseconds.
    var p50: Double?
    var p99: Double?
    /// CPU microseconds of the server per item.
    var cpu: Double?
    /// Of the machine's CPU time, what neither server nor generator used.
    var foreign: Double?
    var ratio: Double?
    var ratioTo: String?
    var goal: String?
    var verdict: Verdict?
    var note: String?

    init(_ measure: String, _ subject: String, _ value: Double, _ unit: String) {
        self.measure = measure
        self.subject = subject
        self.value = value
        self.unit = unit
    }

    /// With a goal and whether it is met.
    func judged(_ goal: String, _ isMet: Bool) -> Finding {
        var finding = self
        finding.goal = goal
        finding.verdict = isMet ? .met : .missed
        return finding
    }

    func noted(_ note: String?) -> Finding {
        var finding = self
        finding.note = note
        return finding
    }
}
