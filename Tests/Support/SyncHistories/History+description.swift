extension History: CustomStringConvertible {
    var description: String {
        var head = "\(devices) devices"
        head += deletionWins ? ", deletions win" : ", edits win over deletions"
        if isAtomic { head += ", atomic batches" }
        if batchSize < 250 { head += ", batches of \(batchSize)" }
        if let pageSize { head += ", pages of \(pageSize)" }
        head += recovers ? ", apps that recover by themselves" : ", apps that trust the kept state"
        return ([head] + steps.enumerated().map { "  \($0 + 1). \($1)" }).joined(separator: "\n")
    }
}

extension HistoryStep: CustomStringConvertible {
    var description: String {
        switch self {
        case .edit(let device, let place): "\(name(device)) edits \(place)"
        case .delete(let device, let place): "\(name(device)) deletes \(place)"
        case .makeZone(let device, let zone): "\(name(device)) makes zone \(zone)"
        case .deleteZone(let device, let zone): "\(name(device)) deletes zone \(zone)"
        case .purge(let zone): "zone \(zone) is purged"
        case .send(let device, let incident): "\(name(device)) sends\(incident)"
        case .fetch(let device, let incident): "\(name(device)) fetches\(incident)"
        case .kill(let device): "\(name(device)) is killed"
        case .signIn(let device, let person): "\(person) signs in on \(name(device))"
        case .signOut(let device): "\(name(device)) is signed out"
        case .goOffline(let device): "\(name(device)) goes offline"
        case .goOnline(let device): "\(name(device)) goes online"
        case .fault(let device, let trouble): "\(name(device)) will meet \(trouble)"
        case .expireTokens: "all tokens expire"
        case .wait(let seconds): "\(seconds) seconds pass"
        }
    }

    private func name(_ device: Int) -> String { SimulatedDevice.name(device) }
}

extension Place: CustomStringConvertible {
    var description: String { "\(zone)/\(name)" }
}

extension Incident: CustomStringConvertible {
    var description: String {
        var text = ""
        if let death {
            text += ", dies \(death.isAfterwards ? "after" : "before") callback \(death.callback)"
            if death.isTooLate { text += " with a request on its way" }
        }
        for other in meanwhile {
            text += ", \(other.isAfterwards ? "after" : "before") callback \(other.callback) [\(other.step)]"
        }
        return text
    }
}
