/// What the command line asks for.
struct Options {
    var seconds = 10.0
    var seed = UInt64.random(in: 0..<UInt64(UInt32.max))
    var target: String?
    /// Run only this iteration, to see a failure again.
    var iteration: UInt64?

    static let usage = """
        usage: stratus-fuzz [--seconds N] [--seed S] [--target NAME] [--iteration I]
        targets: \(targets.map(\.name).joined(separator: " "))
        """

    /// nil if the arguments make no sense.
    init?(_ arguments: some Sequence<String>) {
        var arguments = arguments.makeIterator()
        while let name = arguments.next() {
            guard let value = arguments.next() else { return nil }
            switch name {
            case "--seconds":
                guard let seconds = Double(value), seconds >= 0 else { return nil }
                self.seconds = seconds
            case "--seed":
                guard let seed = UInt64(value) else { return nil }
                self.seed = seed
            case "--iteration":
                guard let iteration = UInt64(value) else { return nil }
                self.iteration = iteration
            case "--target":
                guard targets.contains(where: { $0.name == value }) else { return nil }
                target = value
            default: return nil
            }
        }
    }
}
