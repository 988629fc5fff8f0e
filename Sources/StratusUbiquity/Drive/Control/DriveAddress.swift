import Foundation
import Glibc
import StratusDeviceCredentials

/// The socket of a container's agent, and the lock that decides which process the agent is.
package struct DriveAddress: Hashable, Sendable {
    /// The identifier of the container.
    let container: String
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

    /// Makes this process the agent of the container, until the lock is released or the process ends.
    /// - Throws: `agentExists` if another process is the agent.
    package func becomeAgent() throws(DriveError) -> FileLock {
        do throws(CredentialsError) {
            try PrivateFile.makeDirectory(directory)
            if let lock = try FileLock.trying(directory + "/agent.lock") { return lock }
        } catch {
            throw DriveError(.failed, error.description)
        }
        throw DriveError(.agentExists, "another process synchronizes '\(container)' already")
    }
}
