#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// Runs targets in turns, in blocks of iterations, each announced by the line that lets it be run again.
struct Fuzzer {
    let options: Options

    /// Iterations between two announcements. A crash lies within one block, which takes seconds to walk through.
    private static let blockSize: UInt64 = 2_000

    /// Whether no promise was broken.
    func run() -> Bool {
        let chosen = targets.enumerated().filter { options.target == nil || options.target == $0.element.name }
        do {
            if let iteration = options.iteration {
                for (number, target) in chosen {
                    _ = try run(target, number, corpus: target.corpus, iterations: iteration..<iteration + 1)
                }
                return true
            }
            try runInTurns(chosen)
            return true
        } catch {
            print(error.what)
            return false
        }
    }

    private func runInTurns(_ chosen: [(offset: Int, element: any FuzzTarget)]) throws(BrokenPromise) {
        let clock = ContinuousClock()
        let end = clock.now + .seconds(options.seconds)
        var accepted = [UInt64](repeating: 0, count: targets.count)
        var block: UInt64 = 0
        while clock.now < end {
            let iterations = block * Self.blockSize..<(block + 1) * Self.blockSize
            for (number, target) in chosen {
                print("--target \(target.name) --seed \(options.seed) iterations \(iterations)")
                // A crash would lose what is still in the buffer.
                fflush(nil)
                accepted[number] += try run(target, number, corpus: target.corpus, iterations: iterations)
            }
            block += 1
        }
        for (number, target) in chosen {
            print("\(target.name): \(block * Self.blockSize) inputs, \(accepted[number]) accepted, no promise broken")
        }
    }

    /// How many of the inputs were accepted.
    private func run(
        _ target: any FuzzTarget, _ number: Int, corpus: [[UInt8]], iterations: Range<UInt64>
    ) throws(BrokenPromise) -> UInt64 {
        var accepted: UInt64 = 0
        for iteration in iterations {
            var mutator = Mutator(random: Randomness(seed: options.seed, target: number, iteration: iteration))
            guard let original = mutator.random.pick(corpus) else { return accepted }
            let input = mutator.mutate(original, others: corpus)
            do {
                accepted += try target.run(input) ? 1 : 0
            } catch {
                throw BrokenPromise(
                    what: """
                        BROKEN --target \(target.name) --seed \(options.seed) --iteration \(iteration): \(error.what)
                        input: \(String(decoding: input, as: UTF8.self).debugDescription)
                        """)
            }
        }
        return accepted
    }
}
