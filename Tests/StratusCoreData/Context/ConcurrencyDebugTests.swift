import Foundation
import StratusCoreData
import Testing

@Suite struct ConcurrencyDebugTests {
    @Test func anotherQueueStopsTheProgramIfAskedFor() async {
        await #expect(processExitsWith: .failure) {
            UserDefaults.standard.register(defaults: ["com.apple.CoreData.ConcurrencyDebug": 1])
            _ = Family().insert("Child")
        }
        await #expect(processExitsWith: .failure) {
            UserDefaults.standard.register(defaults: ["com.apple.CoreData.ConcurrencyDebug": 1])
            let family = Family()
            let child = family.run { $0.insert("Child") }
            _ = child.value(forKey: "name")
        }
    }

    @Test func theQueueItselfMayUseTheContext() async {
        await #expect(processExitsWith: .success) {
            UserDefaults.standard.register(defaults: ["com.apple.CoreData.ConcurrencyDebug": 1])
            Family().run { family in
                let child = family.insert("Child", named: "Ada")
                family.context.delete(child)
                family.context.processPendingChanges()
                family.context.reset()
            }
            exit(EXIT_SUCCESS)
        }
    }
}
