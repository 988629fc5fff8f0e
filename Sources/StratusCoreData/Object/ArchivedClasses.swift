import Foundation
import StratusCoreLocation

/// The classes that archives name in another way than Swift does: without a module.
enum ArchivedClasses {
    /// The classes of Apple's frameworks that attributes hold, by their names in archives. Foundation's unarchivers know
    /// the names from the first use on.
    static let ofFrameworks: [String: AnyClass] = {
        CLLocation.registerAppleArchiveNames()
        return ["CLLocation": CLLocation.self]
    }()

    /// Returns the class that a name without a module stands for: of Apple's frameworks, or registered by the program.
    static func named(_ name: String) -> AnyClass? {
        ofFrameworks[name] ?? NSKeyedUnarchiver.class(forClassName: name)
    }
}
