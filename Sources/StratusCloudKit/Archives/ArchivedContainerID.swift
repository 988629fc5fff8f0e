import Foundation

/// The name of a container in an archive of Apple's.
final class ArchivedContainerID: NSObject, NSSecureCoding {
    let identifier: String

    static var supportsSecureCoding: Bool { true }

    init?(coder: NSCoder) {
        guard let identifier = coder.decoded(NSString.self, "ContainerIdentifier") as String? else { return nil }
        self.identifier = identifier
    }

    /// Does nothing, as none is ever written.
    func encode(with coder: NSCoder) {}
}
