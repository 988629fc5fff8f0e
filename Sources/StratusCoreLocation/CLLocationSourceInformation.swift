// Immutable; only the superclass keeps the compiler from seeing that it is Sendable.
/// Where a location comes from.
public final class CLLocationSourceInformation: NSObject, NSCopying, NSSecureCoding, @unchecked Sendable {
    private static let softwareKey = "kCLLocationCodingKeyFromSoftwareSimulator"
    private static let accessoryKey = "kCLLocationCodingKeyFromExternalAccessory"

    /// Whether a program made it up.
    public let isSimulatedBySoftware: Bool
    /// Whether a device that is plugged in found it.
    public let isProducedByAccessory: Bool

    /// Makes information.
    public init(softwareSimulationState isSoftware: Bool, andExternalAccessoryState isAccessory: Bool) {
        isSimulatedBySoftware = isSoftware
        isProducedByAccessory = isAccessory
        super.init()
    }

    /// Reads an archive, Apple's or ours.
    public required convenience init?(coder: NSCoder) {
        self.init(
            softwareSimulationState: coder.decodeBool(forKey: Self.softwareKey),
            andExternalAccessoryState: coder.decodeBool(forKey: Self.accessoryKey))
    }

    /// Writes the archive under Apple's keys.
    public func encode(with coder: NSCoder) {
        coder.encode(isSimulatedBySoftware, forKey: Self.softwareKey)
        coder.encode(isProducedByAccessory, forKey: Self.accessoryKey)
    }

    /// Always true.
    public static var supportsSecureCoding: Bool { true }

    /// The information itself, as it cannot change.
    public func copy(with zone: NSZone? = nil) -> Any { self }

    /// Whether the other says the same.
    public override func isEqual(_ object: Any?) -> Bool {
        guard let other = object as? CLLocationSourceInformation else { return false }
        return other.isSimulatedBySoftware == isSimulatedBySoftware
            && other.isProducedByAccessory == isProducedByAccessory
    }

    /// Goes with ``isEqual(_:)``.
    public override var hash: Int { (isSimulatedBySoftware ? 1 : 0) + (isProducedByAccessory ? 2 : 0) }

    /// Both states.
    public override var description: String {
        "simulated by software: \(isSimulatedBySoftware), produced by accessory: \(isProducedByAccessory)"
    }
}
