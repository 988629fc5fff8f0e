import Foundation
import Glibc
import StratusDeviceCredentials

/// The socket of a container's agent, and the lock that decides which process the agent is.
package struct DriveAddress: Hashable, Sendable {
    /// The identifier of the container.
    package let container: String
    /// A directory of the agent's own.
    private let directory: String
    /// The path of the socket. It is in the user's runtime directory, as paths of sockets are short.
    let socket: String

    /// - Parameter variables: The environment of the programs that are to find the agent.
    package init(
        _ container: UbiquityContainer, variables: [String: String] = UbiquityEnvironment.variables
    ) {
        self.container = container.identifier
        directory = container.agentDirectory.path
        // Two homes of one user are two devices, but have one runtime directory.
        let name = StableName.of([directory])
        socket = CoordinationDirectory.path(variables, name: "drive") + "/\(name).socket"
    }

    var agentPath: String { directory + "/agent.lock" }
    var intentionPath: String { directory + "/run.lock" }
    var agentExists: DriveError {
        DriveError(.agentExists, "another process synchronizes '\(container)' already")
    }

    /// Makes this process the agent of the container, until the lock is released or the process ends.
    /// - Throws: `agentExists` if another process is the agent.
    package func becomeAgent() throws(DriveError) -> FileLock {
        try prepare()
        guard let lock = try lock(agentPath, waits: false) else { throw agentExists }
        return lock
    }

    func prepare() throws(DriveError) {
        do throws(CredentialsError) { try PrivateFile.makeDirectory(directory) } catch {
            throw DriveError(.failed, error.description)
        }
    }

    /// - Returns: The lock of a file; nil if another process has it, unless this one waits for it.
    /// - Parameter isShared: Whether others may hold it so, too.
    func lock(_ path: String, waits: Bool, isShared: Bool = false) throws(DriveError) -> FileLock? {
        do throws(CredentialsError) {
            return waits
                ? try FileLock.waiting(path, isShared: isShared) : try FileLock.trying(path, isShared: isShared)
        } catch {
            throw DriveError(.failed, error.description)
        }
    }
}
