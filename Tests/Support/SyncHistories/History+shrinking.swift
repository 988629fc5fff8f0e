import StratusSeeds

extension History: Shrinkable {
    var simpler: [History] {
        var candidates = (steps.shorter + steps.simplified(\.simpler)).map { steps in changed { $0.steps = steps } }
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
