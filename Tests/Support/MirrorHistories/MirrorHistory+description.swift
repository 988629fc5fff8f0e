import StratusSeeds

extension MirrorHistory: CustomStringConvertible {
    package var description: String {
        let head =
            "\(devices) devices" + (hasGuest ? ", the last one of a guest" : "")
            + (hasPublicStore ? ", a public store" : "")
            + (pageSize.map { ", pages of \($0)" } ?? "")
        return ([head] + steps.enumerated().map { "  \($0 + 1). \($1)" }).joined(separator: "\n")
    }
}

extension MirrorStep: CustomStringConvertible {
    var description: String {
        switch self {
        case .save(let device, let changes): "\(name(device)) saves \(Self.list(changes))"
        case .synchronize(let device, let incidents):
            "\(name(device)) synchronizes" + incidents.map { ", at \($0.moment) \($0.event)" }.joined()
        case .restart(let device): "\(name(device)) starts again"
        case .goOffline(let device): "\(name(device)) goes offline"
        case .goOnline(let device): "\(name(device)) goes online"
        case .fault(let device, let fault): "\(name(device)) will meet \(fault)"
        case .expireTokens: "all tokens expire"
        case .deleteHistory(let device): "\(name(device)) deletes its history"
        case .purge: "the data is purged"
        case .wait(let seconds): "\(seconds) seconds pass"
        case .share(let sharing, let incidents):
            "\(name(sharing.device)) shares \(sharing.object) by \(sharing.share.map { "share \($0)" } ?? "a new share"), "
                + sharing.permission.rawValue + incidents.map { ", at \($0.moment) \($0.event)" }.joined()
        case .join(let share): "the guest joins share \(share)"
        case .leave(let share): "the guest leaves share \(share)"
        case .permit(let device, let share, let permission):
            "\(name(device)) gives the guest of share \(share) \(permission.rawValue)"
        }
    }

    private func name(_ device: Int) -> String { MirrorDevice.name(device) }

    static func list(_ changes: [MirrorChange]) -> String { changes.map(\.description).joined(separator: ", ") }
}

extension MirrorChange: CustomStringConvertible {
    var description: String {
        switch self {
        case .create(let entity): "new \(entity.rawValue)"
        case .delete(let number): "delete \(number)"
        case .set(let number, let attribute): "\(number).\(attribute.rawValue)"
        case .setParent(let number, let other): "\(number).parent = \(other.map { "\($0)" } ?? "nil")"
        case .setCover(let number, let other): "\(number).cover = \(other.map { "\($0)" } ?? "nil")"
        case .addTag(let number, let other): "\(number).tags + \(other)"
        case .removeTag(let number, let other): "\(number).tags - \(other)"
        case .createEntry: "new Entry"
        case .setEntry(let number): "entry \(number).title"
        case .deleteEntry(let number): "delete entry \(number)"
        }
    }
}

extension MirrorIncident.Event: CustomStringConvertible {
    var description: String {
        switch self {
        case .end: "the process ends"
        case .save(let changes): "the program saves \(MirrorStep.list(changes))"
        case .synchronize(let other): "\(MirrorDevice.name(other)) synchronizes"
        }
    }
}

extension MirrorHistory: Shrinkable {
    package var simpler: [MirrorHistory] {
        var candidates = (steps.shorter + steps.simplified(\.simpler)).map { steps in changed { $0.steps = steps } }
        if hasPublicStore { candidates.append(changed { $0.hasPublicStore = false }) }
        if hasGuest { candidates.append(changed { $0.hasGuest = false }) }
        if devices > 2 { candidates.append(changed { $0.devices -= 1 }) }
        candidates.append(changed { $0.pageSize = nil })
        return candidates
    }

    private func changed(_ change: (inout MirrorHistory) -> Void) -> MirrorHistory {
        var copy = self
        change(&copy)
        return copy
    }
}

extension MirrorStep {
    fileprivate var simpler: [MirrorStep] {
        switch self {
        case .save(let device, let changes): changes.shorter.map { .save(device, $0) }
        case .synchronize(let device, let incidents): incidents.shorter.map { .synchronize(device, $0) }
        case .share(let sharing, let incidents): incidents.shorter.map { .share(sharing, $0) }
        default: []
        }
    }
}
