import Foundation
import Synchronization
import Testing

@testable import StratusCoreData

@Suite struct AsynchronousFetchTests {
    @Test func theQueueOfTheContextIsFreeWhileTheStoreIsAsked() throws {
        let family = try Family().withStore()
        _ = try family.save("P", with: ["Ada"])
        let context = family.context
        let rows = try #require(context.persistentStoreCoordinator?.persistentStores.first?.rows as? SQLiteRowStore)
        let (isHeld, release) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        DispatchQueue.global().async {
            do {
                try rows.access { _ in
                    isHeld.signal()
                    release.wait()
                }
            } catch {
                Issue.record(error)
            }
        }
        isHeld.wait()
        let names = Mutex<[String]>([])
        let ended = DispatchSemaphore(value: 0)
        let fetch = NSFetchRequest<NSManagedObject>(entityName: "Child")
        fetch.sortDescriptors = [NSSortDescriptor(key: "name", ascending: true)]
        let request = NSAsynchronousFetchRequest(fetchRequest: fetch) { result in
            names.withLock { $0 = result.finalResult?.map(\.label) ?? [] }
            ended.signal()
        }
        try context.performAndWait { _ = try context.execute(request) }
        // The queue would wait for the store otherwise. The new object is among the results.
        family.run { _ = $0.insert("Child", named: "Bea") }
        release.signal()
        ended.wait()
        #expect(names.withLock { $0 } == ["Ada", "Bea"])
    }
}
