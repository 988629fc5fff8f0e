import Foundation
import StratusTestSupport

@testable import StratusUbiquity

/// A person who is signed in, with a home of their own, as far as this module sees.
enum SignedIn {
    private static let home: TemporaryDirectory? = {
        guard let home = try? TemporaryDirectory() else { return nil }
        UbiquityEnvironment.replacement.withLock {
            // Tests of other modules in this process may have set it, too.
            $0 =
                $0 ?? [
                    "HOME": home.path, "XDG_DATA_HOME": home.path + "/data", "XDG_CONFIG_HOME": home.path + "/config",
                    "STRATUS_URL": "http://127.0.0.1:1", "STRATUS_WEB_AUTH_TOKEN": "token",
                    "STRATUS_CONTAINER": "iCloud.org.example.default", "STRATUS_DRIVE_AGENT": "off",
                ]
        }
        return home
    }()

    /// The directory of a container of a test's own.
    static func container(_ name: String = "iCloud.org.example.\(UUID().uuidString)") throws -> URL {
        guard home != nil, let url = FileManager.default.url(forUbiquityContainerIdentifier: name) else {
            throw CocoaError(.fileNoSuchFile)
        }
        return url
    }
}
