import OSLog
import Testing
import os
import os.lock
import os.log

extension Logger {
    fileprivate static let sync = Logger(subsystem: "org.example", category: "sync")
}

/// As programs for Apple's systems write their logs; compiled, not run.
private func writes(_ error: any Error, _ name: String, _ count: Int) {
    Logger.sync.info("saved \(count) of \(name, privacy: .private)")
    Logger().log(level: .error, "failed: \(error.localizedDescription, privacy: .public)")
    for log in [Logger.sync.debug, Logger.sync.notice, Logger.sync.warning, Logger.sync.fault] { log("\(name)") }
    os_log("An error occurred: \(error.localizedDescription)")
    os_log("text")
    os_log(.error, "\(name)")
    os_log(.debug, log: OSLog(subsystem: "org.example", category: "sync"), "%{public}@: %d", name, count)
    os_log("%@ of %ld", log: .default, type: .info, name, count)
    Logger(OSLog.disabled).critical("never")
}

@Test func modules() { #expect(OSLogType.fault.rawValue == 0x11) }

@Suite struct LockTests {
    @Test func aLockProtectsItsValue() async {
        let lock = OSAllocatedUnfairLock(initialState: 0)
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<100 { group.addTask { lock.withLock { $0 += 1 } } }
        }
        #expect(lock.withLock { $0 } == 100)
        #expect(lock.withLockIfAvailable { $0 += 1 } != nil)
    }

    @Test func aLockThatIsHeldIsNotAvailable() {
        let lock = OSAllocatedUnfairLock()
        lock.lock()
        #expect(!lock.lockIfAvailable())
        lock.unlock()
        #expect(lock.lockIfAvailable())
        lock.unlock()
        #expect(lock.withLock { true })
    }
}
