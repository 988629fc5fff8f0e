import Foundation
import StratusCompatibility
import Testing

@Suite struct FoundationAdditionsTests {
    @Test func notificationsComeInOrder() async {
        let center = NotificationCenter()
        let name = Notification.Name("changed")
        var posted = center.notifications(named: name).makeAsyncIterator()
        for number in 0..<3 { center.post(name: name, object: nil, userInfo: ["number": number]) }
        center.post(name: Notification.Name("other"), object: nil)
        for number in 0..<3 {
            let notification = await posted.next()
            #expect(notification?.userInfo?["number"] as? Int == number)
        }
    }

    @Test func partsOfSeconds() {
        #expect(NSEC_PER_SEC == 1_000 * NSEC_PER_MSEC && NSEC_PER_MSEC == 1_000 * NSEC_PER_USEC)
        #expect(NSEC_PER_SEC == 1_000 * USEC_PER_SEC && NSEC_PER_USEC == UInt64(1_000))
    }

    @Test func aCancelledTaskStopsToListen() async {
        let center = NotificationCenter()
        let task = Task {
            for await _ in center.notifications(named: Notification.Name("changed")) {}
            return true
        }
        task.cancel()
        #expect(await task.value)
    }

    @Test func collectionsAreUnarchived() throws {
        let places = [CLLocation(latitude: 1, longitude: 2), CLLocation(latitude: 3, longitude: 4)]
        let data = try NSKeyedArchiver.archivedData(withRootObject: places as NSArray, requiringSecureCoding: true)
        #expect(try NSKeyedUnarchiver.unarchivedArrayOfObjects(ofClass: CLLocation.self, from: data) == places)
        let named: NSDictionary = ["a": places[0]]
        let other = try NSKeyedArchiver.archivedData(withRootObject: named, requiringSecureCoding: true)
        #expect(
            try NSKeyedUnarchiver.unarchivedDictionary(
                ofKeyClass: NSString.self, objectClass: CLLocation.self, from: other) == ["a": places[0]])
    }

    @Test func errorsAreTakenByPointer() {
        func fail(error: NSErrorPointer) -> Bool {
            error?.pointee = NSError(domain: "d", code: 5)
            return false
        }
        var error: NSError?
        #expect(!fail(error: &error))
        #expect(error?.code == 5)
        #expect(!fail(error: nil))
    }
}

@Test func userDefaultsTakeValuesByKey() throws {
    let defaults = try #require(UserDefaults(suiteName: UUID().uuidString))
    defaults.setValue(true, forKey: "isZoneCreated")
    #expect(defaults.bool(forKey: "isZoneCreated") && defaults.value(forKey: "isZoneCreated") as? Bool == true)
    defaults.setValue(nil, forKey: "isZoneCreated")
    #expect(defaults.value(forKey: "isZoneCreated") == nil)
}
