extension History {
    /// A history that fails still and cannot be made simpler by one step.
    /// - Parameter fails: whether a history has the fault that is looked for.
    func shrunk(_ fails: (History) async -> Bool) async -> History {
        var best = self
        while let simpler = await best.firstSimpler(fails) { best = simpler }
        return best
    }

    private func firstSimpler(_ fails: (History) async -> Bool) async -> History? {
        for candidate in simpler where candidate != self {
            if await fails(candidate) { return candidate }
        }
        return nil
    }

    /// What is simpler, the simplest first.
    private var simpler: [History] {
        var candidates: [History] = []
        var length = steps.count / 2
        while length >= 1 {
            for start in stride(from: 0, to: steps.count, by: length) {
                candidates.append(changed { $0.steps.removeSubrange(start..<min(start + length, steps.count)) })
            }
            length /= 2
        }
        for (index, step) in steps.enumerated() {
            candidates += step.simpler.map { simpler in changed { $0.steps[index] = simpler } }
        }
        if devices > 2 { candidates.append(changed { $0.devices -= 1 }) }
        candidates.append(changed { $0.isAtomic = false })
        candidates.append(changed { $0.batchSize = 250 })
        candidates.append(changed { $0.pageSize = nil })
        return candidates
    }

    private func changed(_ change: (inout History) -> Void) -> History {
        var copy = self
        change(&copy)
        return copy
    }
}

extension HistoryStep {
    fileprivate var simpler: [HistoryStep] {
        switch self {
        case .send(let device, let incident): incident.simpler.map { .send(device, $0) }
        case .fetch(let device, let incident): incident.simpler.map { .fetch(device, $0) }
        default: []
        }
    }
}

extension Incident {
    fileprivate var simpler: [Incident] {
        var candidates: [Incident] = []
        if death != nil { candidates.append(Incident(meanwhile: meanwhile)) }
        for index in meanwhile.indices {
            var copy = self
            copy.meanwhile.remove(at: index)
            candidates.append(copy)
        }
        return candidates
    }
}
