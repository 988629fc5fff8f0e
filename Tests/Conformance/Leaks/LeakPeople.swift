import StratusTestSupport
import StratusWorkers

/// Something was seen, done or told that the rules do not allow, or was not that they do.
struct LeakViolation: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }
}

/// Throws unless a rule holds.
func demand(_ holds: Bool, _ what: @autoclosure () -> String) throws {
    if !holds { throw LeakViolation(what()) }
}

/// People who share, each with a device that listens to their shared database.
final class LeakPeople: Sendable {
    let tenant: Tenant
    /// By number, see ``LeakPlan``.
    let people: [Tenant.Person]
    let ears: [LeakEar]
    let files: LeakFiles
    /// Who lets others find them.
    static let found = 3
    /// How many mails were sent to each.
    private let mails = Lock<[Int: Int]>([:])
    /// A zone in the stranger's own database: what they hear of it comes behind all that was to be heard before.
    let strangersZone: String

    init(_ tenant: Tenant) async throws {
        self.tenant = tenant
        var people = [tenant.alice, tenant.bob]
        for number in 2..<LeakPlan.people {
            people.append(try await Tenant.person("p\(number)", in: tenant.cloud, tenant.container))
        }
        self.people = people
        let stranger = tenant.database("private", tenant.credential(of: people[LeakPlan.stranger]))
        strangersZone = try await stranger.makeZone("Own")
        var ears: [LeakEar] = []
        for (number, person) in people.enumerated().dropFirst() {
            let credential = tenant.credential(of: person)
            let shared = tenant.database("shared", credential)
            try await shared.subscribe(Watch.database("ear\(number)"))
            if number == LeakPlan.stranger { try await stranger.subscribe(Watch.database("own")) }
            ears.append(try await LeakEar(EventStream(try await shared.device())))
        }
        self.ears = ears
        files = try await LeakFiles(tenant, people)
        _ = try await tenant.cloud.tool([
            "account", "discover", "--email", people[Self.found].email, "--allow", "on", "--container",
            tenant.container, "--environment", "development",
        ])
    }

    /// Counts a mail to somebody.
    /// - Returns: whether the address may get it today.
    func mayMail(_ person: Int) -> Bool {
        mails.withLock { mails in
            guard mails[person, default: 0] < 10 else { return false }
            mails[person, default: 0] += 1
            return true
        }
    }

    func database(_ scope: String, of person: Int) -> Database {
        tenant.database(scope, tenant.credential(of: people[person]))
    }

    func email(_ person: Int) -> String { people[person].email }
    func name(_ person: Int) -> String { people[person].userRecordName }

    /// Which zones everybody heard of since the last time; by person.
    ///
    /// Everybody comes into a zone that is new: whatever they were to hear before, they hear before they hear of that.
    func heard() async throws -> [Int: Set<String>] {
        let owner = database("private", of: LeakRules.owner)
        let fence = try await owner.makeZone(LeakEar.fence)
        let share = try await owner.save(Shares.create("cloudkit.zoneshare", open: "READ_ONLY"), zone: fence)
        var heard: [Int: Set<String>] = [:]
        for person in 1..<LeakPlan.stranger {
            _ = try await database("public", of: person).link("accept", share["shortGUID"].string ?? "")
            heard[person] = try await ears[person - 1].zones(until: fence)
        }
        // Everybody else was told before; so would the stranger have been.
        try await database("private", of: LeakPlan.stranger).save(Change.create("Mark"), zone: strangersZone)
        heard[LeakPlan.stranger] = try await ears[LeakPlan.stranger - 1].zones(until: strangersZone)
        _ = try await owner.zone("delete", fence)
        return heard
    }
}

/// What one device hears.
struct LeakEar: Sendable {
    /// How the names of zones begin that are for listening only.
    static let fence = "Fence"
    private let stream: EventStream

    init(_ stream: EventStream) { self.stream = stream }

    /// The zones that the next notifications name, up to the one of `last`.
    func zones(until last: String) async throws -> Set<String> {
        var zones: Set<String> = []
        while let event = try await stream.next() {
            let met = event.notification["ck"]["met"]
            guard let zone = met["zid"].string else {
                throw LeakViolation("a notification of no zone: \(event.notification)")
            }
            if zone == last { return zones }
            if !zone.hasPrefix(Self.fence) { zones.insert(zone) }
        }
        throw LeakViolation("the stream is over")
    }
}
