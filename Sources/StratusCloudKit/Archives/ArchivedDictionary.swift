import Foundation

/// A dictionary in an archive of Apple's.
///
/// Foundation's own stops the program where a value cannot be read, because it has fewer values than keys then.
final class ArchivedDictionary: NSObject, NSSecureCoding {
    /// Whether the SDK reads. An unarchiver remembers the class behind a name, and the program's own dictionaries in the
    /// same archive must be Foundation's.
    @TaskLocal private static var isWanted = false

    let members: NSDictionary

    static var supportsSecureCoding: Bool { true }

    override class func classForKeyedUnarchiver() -> AnyClass { isWanted ? self : NSMutableDictionary.self }

    init?(coder: NSCoder) {
        guard coder.containsValue(forKey: "NS.keys") else { return nil }
        // Foundation's array reads the values alone, and copes with fewer.
        _ = NSArray(coder: coder)
        guard !coder.hasFailed, let members = NSDictionary(coder: coder) else { return nil }
        self.members = members
    }

    /// Does nothing, as none is ever written.
    func encode(with coder: NSCoder) {}

    /// The dictionary of a key, with objects of some classes in it; nil if there is none, or one that cannot be read.
    static func decoded(_ coder: NSCoder, _ classes: [AnyClass], _ key: String) -> NSDictionary? {
        coder.substituting(self, for: "NSMutableDictionary", "NSDictionary") {
            $isWanted.withValue(true) {
                let read = coder.decoded([self, NSDictionary.self] + classes, key)
                // Foundation's, where the program had read one of its own before.
                return (read as? ArchivedDictionary)?.members ?? read as? NSDictionary
            }
        }
    }
}
