extension DriveHistory: CustomStringConvertible {
    package var description: String { steps.enumerated().map { "  \($0 + 1). \($1)" }.joined(separator: "\n") }
}

extension DriveHistoryStep: CustomStringConvertible {
    package var description: String {
        switch self {
        case .use(let device, let use): "\(name(device)): somebody \(use)"
        case .work(let device, let work, let incidents): "\(name(device)): the agent \(work)\(list(incidents))"
        case .kill(let device, let incidents): "\(name(device)): the agent is killed, and starts\(list(incidents))"
        case .goOffline(let device): "\(name(device)) goes offline"
        case .goOnline(let device): "\(name(device)) goes online"
        case .trouble(let device, let trouble): "\(name(device)) will meet \(trouble)"
        case .fillQuota(let device): "\(name(device)) has no quota left"
        case .freeQuota(let device): "\(name(device)) has quota again"
        case .fillDisk(let device, let rest): "the disk of \(name(device)) has room for \(rest) changes"
        case .freeDisk(let device): "the disk of \(name(device)) has room again"
        case .moveClock(let device, let seconds): "the clock of \(name(device)) jumps by \(seconds) s"
        case .crashServer(let isCommitted): "the server will crash \(isCommitted ? "after" : "before") a request"
        case .restartServer: "the server restarts"
        case .expireTokens: "all tokens expire"
        case .wait(let hours): "\(hours) hours pass"
        }
    }

    private func name(_ device: Int) -> String { DriveDevice.name(device) }

    private func list(_ incidents: [DriveIncident]) -> String {
        incidents.map { "; at moment \($0.moment) \($0.event)" }.joined()
    }
}

extension DriveUse: CustomStringConvertible {
    package var description: String {
        switch self {
        case .write(let place): "writes \(name(place))"
        case .replace(let place): "replaces \(name(place)) by renaming"
        case .save(let place): "saves \(name(place)), after moving it aside"
        case .truncate(let place): "truncates \(name(place))"
        case .move(let from, let to): "moves \(name(from)) to \(name(to))"
        case .makeFolder(let place): "makes folder \(name(place))"
        case .link(let place, let target): "makes link \(name(place)) to \(target)"
        case .execute(let place): "makes \(name(place)) executable"
        case .delete(let place): "deletes \(name(place))"
        case .replacePackage(let place): "replaces package \(name(place))"
        case .open(let place): "opens \(name(place))"
        case .close: "writes and closes"
        }
    }
}

extension DriveWork: CustomStringConvertible {
    package var description: String {
        switch self {
        case .synchronize: "synchronizes"
        case .evict(let place): "evicts \(name(place))"
        case .download(let place): "downloads \(name(place))"
        case .pin(let place): "pins \(name(place))"
        case .unpin(let place): "unpins \(name(place))"
        case .deselect(let place): "deselects \(name(place))"
        case .select(let place): "selects \(name(place))"
        case .restoreVersion(let place, let number): "restores version \(number) of \(name(place))"
        case .restoreDeleted(let number): "restores deleted item \(number)"
        case .resolve(let place, let number): "resolves \(name(place)) with \(number)"
        }
    }
}

extension DriveIncident.Event: CustomStringConvertible {
    package var description: String {
        switch self {
        case .end: "the process ends"
        case .use(let use): "somebody \(use)"
        case .synchronize(let device): "\(DriveDevice.name(device)) synchronizes"
        }
    }
}

/// The path of a place, with other characters than those of ASCII escaped.
private func name(_ place: Int) -> String {
    let path = DrivePlaces.all[place].unicodeScalars.map { $0.escaped(asASCII: true) }.joined()
    return path.count > 40 ? "\(path.prefix(3))…(long)" : path
}
