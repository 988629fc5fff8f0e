// Cities near a place, the nearest first: `Places <latitude> <longitude> <kilometres> [<least population>]`.

import CloudKit

let numbers = CommandLine.arguments.dropFirst().compactMap { Double($0) }
guard numbers.count >= 3 else {
    print("usage: Places <latitude> <longitude> <kilometres> [<least population>]")
    exit(2)
}
let here = CLLocation(latitude: numbers[0], longitude: numbers[1])
let metres = numbers[2] * 1_000
let population = numbers.count > 3 ? Int(numbers[3]) : 0

let query = CKQuery(
    recordType: "City",
    predicate: NSPredicate(
        format: "distanceToLocation:fromLocation:(location, %@) < %f AND population >= %d", here, metres, population))
query.sortDescriptors = [CKLocationSortDescriptor(key: "location", relativeLocation: here)]

// The public database is open to everybody, signed in or not.
let database = CKContainer.default().publicCloudDatabase
var page = try await database.records(
    matching: query, desiredKeys: ["name", "population", "location"], resultsLimit: 50)
while true {
    for (_, result) in page.matchResults {
        let city = try result.get()
        guard let place = city["location"] as? CLLocation else { continue }
        let distance = String(format: "%7.1f", place.distance(from: here) / 1_000)
        print("\(distance) km  \(city["name"] as? String ?? "?") (\(city["population"] as? Int ?? 0))")
    }
    guard let cursor = page.queryCursor else { break }
    page = try await database.records(continuingMatchFrom: cursor)
}
