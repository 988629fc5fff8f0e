// Immutable; only the superclass keeps the compiler from seeing that it is Sendable.
/// A floor of a building.
public final class CLFloor: NSObject, NSCopying, NSSecureCoding, @unchecked Sendable {
    private static let levelKey = "kCLLocationCodingKeyFloor"

    /// 0 is the ground floor, negative numbers are below.
    public let level: Int

    init(level: Int) {
        self.level = level
        super.init()
    }

    /// Reads an archive, Apple's or ours.
    public required convenience init?(coder: NSCoder) {
        guard coder.containsValue(forKey: Self.levelKey) else { return nil }
        self.init(level: coder.decodeInteger(forKey: Self.levelKey))
    }

    /// Writes the archive under Apple's key.
    public func encode(with coder: NSCoder) {
        coder.encode(level, forKey: Self.levelKey)
    }

    /// Always true.
    public static var supportsSecureCoding: Bool { true }

    /// The floor itself, as it cannot change.
    public func copy(with zone: NSZone? = nil) -> Any { self }

    /// Whether the other is a floor of the same level.
    public override func isEqual(_ object: Any?) -> Bool { (object as? CLFloor)?.level == level }

    /// Goes with ``isEqual(_:)``.
    public override var hash: Int { level.hashValue }

    /// The level.
    public override var description: String { "CLFloor level \(level)" }
}
