import Foundation
import StratusDeviceCredentials

/// The choices of a person for the folder of a container on one machine.
package struct DriveSettings: Hashable, Sendable {
    /// Names that are not synchronized: with `*` for any characters.
    package var ignored: [String] = [".*.sw?", "*~", ".~lock.*#", "*.tmp", ".*.stratus", ".DS_Store", ".directory"]
    /// Whether new files of other devices are downloaded at once, or stay placeholders until somebody asks for them.
    package var downloadsNewFiles = true
    /// The name that other devices show as the writer of a version.
    package var deviceName: String

    /// The person who is signed in, and the identifier of the container: for ``DriveStatus``.
    package var account: String
    package var container: String

    /// The settings of this machine for a container.
    package init(container: UbiquityContainer) {
        self.init(
            deviceName: ProcessInfo.processInfo.hostName, account: UbiquityAccount.current()?.userRecordName ?? "",
            container: container.identifier)
        // A file that cannot be read is as good as none: the next `stratus drive run` writes it anew.
        guard let bytes = try? PrivateFile.read(Self.path(of: container), limit: Self.fileLimit),
            let kept = try? JSONDecoder().decode(Kept.self, from: Data(bytes))
        else { return }
        downloadsNewFiles = kept.downloadsNewFiles
    }

    /// Keeps the settings for apps that synchronize the container while `stratus drive run` does not.
    package func keep(for container: UbiquityContainer) throws(DriveError) {
        do {
            let kept = try JSONEncoder().encode(Kept(downloadsNewFiles: downloadsNewFiles))
            try PrivateFile.replace(Self.path(of: container), with: Array(kept))
        } catch {
            throw DriveError(.failed, "the settings cannot be kept: \(error)")
        }
    }

    private struct Kept: Codable {
        var downloadsNewFiles: Bool
    }

    /// Bytes of the file.
    private static let fileLimit = 4_096

    private static func path(of container: UbiquityContainer) -> String {
        container.agentDirectory.appendingPathComponent("settings.json").path
    }

    /// The settings of a machine that nobody has changed.
    package init(deviceName: String, account: String = "", container: String = "") {
        self.deviceName = deviceName
        self.account = account
        self.container = container
    }

    /// Whether an item of this name stays on the machine.
    func ignores(_ name: String) -> Bool { ignored.contains { Self.matches(Array($0.utf8), Array(name.utf8)) } }

    /// Whether a name fits a pattern, in which `*` stands for any bytes and `?` for one.
    static func matches(_ pattern: [UInt8], _ name: [UInt8]) -> Bool {
        var (p, n) = (0, 0)
        var star: (pattern: Int, name: Int)?
        while n < name.count {
            if p < pattern.count, pattern[p] == UInt8(ascii: "*") {
                star = (p, n)
                p += 1
            } else if p < pattern.count, pattern[p] == UInt8(ascii: "?") || pattern[p] == name[n] {
                (p, n) = (p + 1, n + 1)
            } else if let last = star {
                star = (last.pattern, last.name + 1)
                (p, n) = (last.pattern + 1, last.name + 1)
            } else {
                return false
            }
        }
        return pattern[p...].allSatisfy { $0 == UInt8(ascii: "*") }
    }
}
