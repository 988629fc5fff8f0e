import StratusSeeds

/// Events on several devices of one person. Nothing in a history is left to chance, so it can be run again, and without
/// one of its steps it is otherwise the same.
package struct DriveHistory: Hashable, Sendable {
    /// The last one keeps only the contents that somebody asked for.
    static let devices = 3

    package var steps: [DriveHistoryStep] = []

    package init(steps: [DriveHistoryStep]) { self.steps = steps }
}

/// One event. Devices are numbers.
package enum DriveHistoryStep: Hashable, Sendable {
    /// A person or a program changes files.
    case use(Int, DriveUse)
    /// The agent of a device works, and other things happen while it does.
    case work(Int, DriveWork, [DriveIncident] = [])
    /// The process of the agent ends between two works, and another one begins.
    case kill(Int, [DriveIncident] = [])
    case goOffline(Int)
    case goOnline(Int)
    /// The next request of a kind goes wrong.
    case trouble(Int, DriveTrouble)
    /// The account has no room for what a device sends, or has room again.
    case fillQuota(Int)
    case freeQuota(Int)
    /// The disk of a device has room for so many more items, or has room again.
    case fillDisk(Int, Int)
    case freeDisk(Int)
    /// The clock of a device jumps by seconds.
    case moveClock(Int, Int)
    /// The server ends with the next request, before or after it has done it.
    case crashServer(isCommitted: Bool)
    case restartServer
    case expireTokens
    /// Hours pass.
    case wait(Int)
}

/// A change of files, by somebody who knows nothing of synchronization. Places are numbers of ``DrivePlaces``.
package enum DriveUse: Hashable, Sendable {
    /// Writes a new content into a file, which is made if need be.
    case write(Int)
    /// Writes a new file and renames it over another one.
    case replace(Int)
    /// Moves a file aside, writes a new one in its place, and deletes the former one.
    case save(Int)
    case truncate(Int)
    /// Moves an item, or the placeholder of one.
    case move(Int, Int)
    case makeFolder(Int)
    case link(Int, target: Int)
    case execute(Int)
    case delete(Int)
    /// Writes a new package of several files and lets it take the place of another one.
    case replacePackage(Int)
    /// Opens a file to write it, and closes the one that was opened first after writing.
    case open(Int)
    case close
}

/// What an agent is asked to do.
package enum DriveWork: Hashable, Sendable {
    case synchronize
    case evict(Int)
    case download(Int)
    case pin(Int)
    case unpin(Int)
    /// Removes a folder from the device, or brings it back.
    case deselect(Int)
    case select(Int)
    /// Makes a former content the current one. The number chooses among those that exist.
    case restoreVersion(Int, Int)
    /// Takes an item out of Recently Deleted.
    case restoreDeleted(Int)
    /// Chooses among contents in conflict; the first is the current one.
    case resolve(Int, Int)
}

/// An event during the work of an agent.
package struct DriveIncident: Hashable, Sendable {
    /// The moment (``DriveMoment``) at which it happens, counted from 1.
    package var moment: Int
    package var event: Event

    package enum Event: Hashable, Sendable {
        /// The process ends.
        case end
        /// Somebody changes files on the device.
        case use(DriveUse)
        /// Another device synchronizes, at the next moment at which this one waits for the server.
        case synchronize(Int)
    }

    package init(_ moment: Int, _ event: Event) { (self.moment, self.event) = (moment, event) }
}

/// A failure of a request.
package enum DriveTrouble: String, Hashable, Sendable, CaseIterable {
    /// The server does not see the request.
    case lostChange
    /// The server does what was asked for, and the answer does not arrive.
    case lostAnswer
    case lostUpload
    case lostDownload
    /// The connection breaks while something is read, as often as the library tries.
    case lostRead
    /// The server is busy for some seconds.
    case busy
}

/// Places of items: few, so that devices meet, with names that servers and file systems see differently.
package enum DrivePlaces {
    package static let all = [
        "a", "b", "A", "a 2", "\u{E9}", "e\u{301}", "d", "d/a", "d/b", "d/A", "e", "e/a", "e/d", "d/e", "d/e/a",
        "e/d/b", "D", "p.rtfd", "p.rtfd/a", "p.rtfd/f/a", "d/p.rtfd", "d/p.rtfd/b", long, "d/" + long,
        longer, "d/" + longer,
    ]

    /// The longest name of which there can be a placeholder, and a longer one.
    private static let (long, longer) = (String(repeating: "n", count: 247), String(repeating: "m", count: 250))

    package static func number(_ place: String) -> Int { all.firstIndex { $0.utf8.elementsEqual(place.utf8) } ?? 0 }
}
