/// What happens to the devices of a person, and of another one who borrows them. Nothing in it is left to chance, so that it can be run again, and without one of
/// its steps it is otherwise the same.
struct History: Sendable, Hashable {
    /// Devices that there are.
    var devices = 2
    /// What the apps do with an edit of a record that is deleted elsewhere: drop it, or bring the record back.
    var deletionWins = false
    /// Whether the changes of a zone are sent all or none.
    var isAtomic = false
    /// Changes that an app sends together at most.
    var batchSize = 250
    /// Changes that a page of a feed holds at most; nil for as many as the server gives.
    var pageSize: Int?
    /// Whether a process that starts adds again what it knows to be unsent, or trusts the state that was kept.
    var recovers = false
    var steps: [HistoryStep] = []
}

/// One thing that happens.
enum HistoryStep: Sendable, Hashable {
    /// Somebody writes.
    case edit(Int, Place)
    /// Somebody deletes.
    case delete(Int, Place)
    case makeZone(Int, Int)
    case deleteZone(Int, Int)
    /// The person removes the app's data in the settings of the system.
    case purge(Int)
    /// A device sends what waits.
    case send(Int, Incident)
    /// A push arrives, or the app looks by itself. Pushes that are lost or late are fetches that are missing or later.
    case fetch(Int, Incident)
    /// The process of a device ends, and another begins.
    case kill(Int)
    /// Somebody signs in on a device, instead of who was.
    case signIn(Int, Person)
    case signOut(Int)
    case goOffline(Int)
    case goOnline(Int)
    /// Something goes wrong with the next requests of a device.
    case fault(Int, Trouble)
    /// All tokens of change feeds expire.
    case expireTokens
    /// Seconds pass.
    case wait(Int)
}

/// Whose data it is. The devices are Ada's in the beginning, and in the end those of nobody are.
enum Person: String, Sendable, Hashable, CaseIterable { case ada, bob }

/// A record, by number of zone and name.
struct Place: Sendable, Hashable {
    var zone: Int
    var name: Int
}

/// What happens while a device sends or fetches. Callbacks of the delegate are counted from 0.
struct Incident: Sendable, Hashable {
    /// The callback at which the process ends.
    var death: Death?
    /// What else happens, here and elsewhere, while a callback runs.
    var meanwhile: [Meanwhile] = []

    struct Death: Sendable, Hashable {
        var callback: Int
        /// Whether the app had done what the callback asks for, and stored it.
        var isAfterwards: Bool
        /// Whether the request that follows was on its way already.
        var isTooLate: Bool
    }

    struct Meanwhile: Sendable, Hashable {
        var callback: Int
        /// Whether it happens when the callback has done its work rather than before.
        var isAfterwards: Bool
        var step: HistoryStep
    }
}

/// What goes wrong with a request.
enum Trouble: Sendable, Hashable {
    /// The connection breaks before the server has seen it, or before its answer is back.
    case lostRequest, lostAnswer, lostRead
    case throttle(Int), busy(Int)
    case zoneBusy
    /// One record is refused.
    case refusal(Refusal, Place)

    enum Refusal: Sendable, Hashable, CaseIterable { case quota, batch, throttle, busy, rejection }
}
