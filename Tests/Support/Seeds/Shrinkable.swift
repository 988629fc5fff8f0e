/// An input of a test that can be made simpler, so that one that fails is easy to understand.
public protocol Shrinkable: Equatable, Sendable {
    /// Inputs that are simpler than this one by one change, the simplest first.
    var simpler: [Self] { get }
}

extension Shrinkable {
    /// Returns an input that still fails and that no single change makes simpler.
    /// - Parameter fails: Whether an input has the fault that is looked for.
    public func shrunk(_ fails: (Self) async -> Bool) async -> Self {
        var best = self
        while let simpler = await best.firstSimpler(fails) { best = simpler }
        return best
    }

    private func firstSimpler(_ fails: (Self) async -> Bool) async -> Self? {
        for candidate in simpler where candidate != self {
            if await fails(candidate) { return candidate }
        }
        return nil
    }
}

extension Array {
    /// Arrays that lack a half of this one, then a quarter, and at last one element.
    public var shorter: [[Element]] {
        var candidates: [[Element]] = []
        var length = count / 2
        while length >= 1 {
            for start in stride(from: 0, to: count, by: length) {
                var candidate = self
                candidate.removeSubrange(start..<Swift.min(start + length, count))
                candidates.append(candidate)
            }
            length /= 2
        }
        return count == 1 ? [[]] : candidates
    }

    /// Arrays in which one element is a simpler one.
    public func simplified(_ simpler: (Element) -> [Element]) -> [[Element]] {
        indices.flatMap { index in
            simpler(self[index]).map { element in
                var candidate = self
                candidate[index] = element
                return candidate
            }
        }
    }
}
