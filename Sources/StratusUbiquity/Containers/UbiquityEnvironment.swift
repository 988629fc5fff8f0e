import Foundation
import StratusWorkers

/// The environment's variables, which say where containers are and who is signed in.
enum UbiquityEnvironment {
    /// Variables instead of those of the process, which tests of other modules in the same process read, too.
    static let replacement = Lock<[String: String]?>(nil)

    static var variables: [String: String] { replacement.withLock { $0 } ?? ProcessInfo.processInfo.environment }
}
