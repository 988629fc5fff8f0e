import Foundation
import StratusSeeds
import StratusTestSupport
import Testing

/// Nobody sees, does or hears what the rules of sharing do not allow: every endpoint of a running server, as everybody,
/// while a random history of shares goes on. `STRATUS_SEED` replays one; what fails shrinks.
@Suite("Never a leak over HTTP")
struct SharingLeakTests {
    /// So many histories at least, and more until everybody was somebody in them, to a point.
    private static let histories = 3...12
    /// How long a history that fails is made smaller: `STRATUS_SHRINK` seconds, or 60.
    private static let shrinking = Duration.seconds(
        ProcessInfo.processInfo.environment["STRATUS_SHRINK"].flatMap { Int($0) } ?? 60)
    private static let steps = 24
    private static let stepsBetweenWalks = 20

    @Test("Random histories")
    func randomHistories() async throws {
        var seed = Seed.draw()
        let people = try await LeakPeople(try await Tenant(in: try await Cloud.withMail()))
        let notes = LeakNotes()
        let clock = ContinuousClock()
        var walked = 0
        repeat {
            print("leak seed \(seed)")
            let plan = LeakPlan.random(seed: seed, steps: Self.steps)
            if let violation = try await run(plan, people, notes) {
                print("seed \(seed): \(violation)")
                let limit = clock.now + Self.shrinking
                let smallest = try await plan.shrunk { attempt in
                    guard clock.now < limit else { return false }
                    return try await run(attempt, people, LeakNotes()) != nil
                }
                let last = try await run(smallest, people, LeakNotes())
                Issue.record(
                    "seed \(seed): \(violation)\nThe smallest that fails:\n\(smallest)\n\(last?.description ?? "not again")"
                )
                return
            }
            seed &+= 1
            walked += 1
        } while Seed.given == nil && walked < Self.histories.upperBound
            && (walked < Self.histories.lowerBound || !notes.covers(Self.actions))
        let missing = Set(LeakRules.Standing.allCases).subtracting(notes.standings)
        #expect(missing.isEmpty, "nobody was \(missing.map(\.rawValue).sorted())")
        #expect(notes.actions.isSuperset(of: Self.actions), "not walked: \(Self.actions.subtracting(notes.actions))")
    }

    /// All endpoints.
    private static let actions: Set = [
        "records/modify", "records/lookup", "records/query", "records/changes", "records/resolve", "records/accept",
        "records/requestAccess", "records/decline", "records/invite", "records/invitations", "records/shares",
        "records/shareKeys",
        "users/caller", "users/current", "users/token", "users/discover", "users/lookup/email", "users/lookup/phone",
        "users/lookup/id", "users/lookup/contacts", "users/fileRoom", "tokens/create", "tokens/register",
        "changes/zone", "changes/database", "changes/records", "zones/changes", "zones/list", "zones/lookup",
        "zones/modify", "subscriptions/list", "subscriptions/lookup", "subscriptions/modify", "assets/upload",
        "assets/rereference", "files/publish", "files/published", "files/unpublish",
    ]

    @Test("The documentation names no endpoint that walks leave out")
    func endpoints() throws {
        let guide = try String(
            contentsOfFile: "\(#filePath)".replacing("Tests/Conformance/Leaks/SharingLeakTests.swift", with: "")
                + "Documentation/web-services.md", encoding: .utf8)
        let rows = guide.split(separator: "\n").filter { $0.hasPrefix("| `") && $0.contains("/") }
        let documented = Set(
            rows.flatMap { $0.split(separator: "|").first?.split(separator: "`").map(String.init) ?? [] }
                .filter { $0.wholeMatch(of: /[a-z]+\/[a-zA-Z\/]+/) != nil })
        #expect(documented == Self.actions)
    }

    /// - Returns: what a history shows that it should not; nil if all is well.
    private func run(_ plan: LeakPlan, _ people: LeakPeople, _ notes: LeakNotes) async throws -> LeakViolation? {
        // What the last history left is heard before.
        _ = try await people.heard()
        var world = try await LeakWorld(people)
        var followers = (1..<LeakPlan.people).map { LeakFollower(person: $0) }
        var violation: LeakViolation?
        do {
            for (index, step) in plan.steps.enumerated() {
                try await world.carryOut(step)
                guard (index + 1) % Self.stepsBetweenWalks == 0 || index == plan.steps.count - 1 else { continue }
                try await check(&world, &followers, notes)
            }
            try await LeakStrangers(world: world).walk(notes)
            try await LeakStrangers(world: world).walkFiles()
        } catch let error as LeakViolation {
            violation = error
        }
        try await world.remove()
        return violation
    }

    private func check(_ world: inout LeakWorld, _ followers: inout [LeakFollower], _ notes: LeakNotes) async throws {
        let heard = try await world.people.heard()
        for person in 1..<LeakPlan.people {
            let expected = world.told[person] ?? []
            try demand(
                heard[person] == expected,
                "person \(person) hears of \(heard[person]?.sorted() ?? []) instead of \(expected.sorted())")
        }
        world.told = [:]
        let current = world
        let before = try await tokens(current)
        followers = try await withThrowingTaskGroup(of: LeakFollower?.self) { group in
            for follower in followers {
                group.addTask {
                    var follower = follower
                    try await follower.follow(current)
                    try await LeakWalk(world: current, person: follower.person, notes: notes).walk()
                    return follower
                }
            }
            group.addTask {
                try await LeakWalk(world: current, person: LeakRules.owner, notes: notes).walk()
                return nil
            }
            var done: [LeakFollower] = []
            while let follower = try await group.next() { if let follower { done.append(follower) } }
            return done
        }
        // Nothing of all that was tried has changed anything.
        for (zone, token) in before {
            let page = try await current.owner.zonePage(zone, since: token)
            try demand(page.records.isEmpty, "walking changed \(page)")
        }
    }

    private func tokens(_ world: LeakWorld) async throws -> [String: String] {
        var tokens: [String: String] = [:]
        for zone in world.zones { tokens[zone] = try await world.owner.syncToken(of: zone) }
        return tokens
    }
}
