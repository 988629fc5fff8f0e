import Foundation
import StratusWorkers

/// Operations that belong together: they share a configuration.
///
/// `@unchecked Sendable`: what changes is under a lock.
public final class CKOperationGroup: NSObject, NSSecureCoding, @unchecked Sendable {
    /// About how many bytes.
    public enum TransferSize: Int, Sendable {
        case unknown, kilobytes, megabytes, tensOfMegabytes, hundredsOfMegabytes, gigabytes, tensOfGigabytes
        case hundredsOfGigabytes
    }

    private struct State: Sendable {
        var configuration = CKOperationConfiguration()
        var name: String?
        var quantity = 0
        var sendSize = TransferSize.unknown
        var receiveSize = TransferSize.unknown
    }

    /// Names the group.
    public let operationGroupID: String
    private let state: Lock<State>

    /// A new group.
    public override init() {
        operationGroupID = UUID().uuidString
        state = Lock(State())
    }

    // swift-format-ignore: NeverUseImplicitlyUnwrappedOptionals
    /// The configuration of operations that have none of their own. What is changed on it counts; setting one copies
    /// it; nil is the standard.
    public var defaultConfiguration: CKOperation.Configuration! {
        get { state.withLock { $0.configuration } }
        set {
            let copy = CKOperationConfiguration(newValue?.values ?? CKOperationConfiguration.Values())
            state.withLock { $0.configuration = copy }
        }
    }

    var defaultConfigurationValues: CKOperationConfiguration.Values { state.withLock { $0.configuration }.values }

    /// A name for people.
    public var name: String? {
        get { state.withLock { $0.name } }
        set { state.withLock { $0.name = newValue } }
    }

    /// A number of the app's own.
    public var quantity: Int {
        get { state.withLock { $0.quantity } }
        set { state.withLock { $0.quantity = newValue } }
    }

    /// About how much will be sent.
    public var expectedSendSize: TransferSize {
        get { state.withLock { $0.sendSize } }
        set { state.withLock { $0.sendSize = newValue } }
    }

    /// About how much will come.
    public var expectedReceiveSize: TransferSize {
        get { state.withLock { $0.receiveSize } }
        set { state.withLock { $0.receiveSize = newValue } }
    }

    /// Archives hold it.
    public static var supportsSecureCoding: Bool { true }

    /// Reads it from an archive; nil if it is not whole.
    public init?(coder: NSCoder) {
        guard let name = coder.decoded(NSString.self, "OperationGroupID") else { return nil }
        operationGroupID = name as String
        state = Lock(
            State(
                name: coder.decoded(NSString.self, "Name") as String?,
                quantity: Int(coder.decodeInt64(forKey: "Quantity")),
                sendSize: TransferSize(rawValue: Int(coder.decodeInt64(forKey: "SendSize"))) ?? .unknown,
                receiveSize: TransferSize(rawValue: Int(coder.decodeInt64(forKey: "ReceiveSize"))) ?? .unknown))
    }

    /// Writes it to an archive, without its configuration.
    public func encode(with coder: NSCoder) {
        coder.encode(operationGroupID as NSString, forKey: "OperationGroupID")
        coder.encode(name as NSString?, forKey: "Name")
        coder.encode(Int64(quantity), forKey: "Quantity")
        coder.encode(Int64(expectedSendSize.rawValue), forKey: "SendSize")
        coder.encode(Int64(expectedReceiveSize.rawValue), forKey: "ReceiveSize")
    }
}
