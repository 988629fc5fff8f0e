import StratusSeeds

extension DriveHistory: Shrinkable {
    package var simpler: [DriveHistory] {
        (steps.shorter + steps.simplified(\.simpler)).map { DriveHistory(steps: $0) }
    }
}

extension DriveHistoryStep {
    fileprivate var simpler: [DriveHistoryStep] {
        switch self {
        case .work(let device, let work, let incidents):
            let same = (incidents.shorter + incidents.simplified(\.simpler)).map { incidents in
                DriveHistoryStep.work(device, work, incidents)
            }
            return work == .synchronize ? same : [.work(device, .synchronize, incidents)] + same
        case .kill(let device, let incidents): return incidents.isEmpty ? [] : [.kill(device)]
        default: return []
        }
    }
}

extension DriveIncident {
    fileprivate var simpler: [DriveIncident] { moment > 1 ? [DriveIncident(moment - 1, event)] : [] }
}
