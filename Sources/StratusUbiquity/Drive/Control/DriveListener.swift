import Foundation
import Glibc
import StratusDeviceCredentials
import StratusWorkers

/// Serves the controls of an agent to the other programs of its user, on a socket. A connection has one request.
package final class DriveListener: Sendable {
    private let controls: any DriveControls
    private let path: String
    private let socket: LocalSocket
    /// The agent alone may take the place of a socket that an agent before it left.
    private let lock: FileLock
    private let patience: Double
    /// Called when a process that goes before this one asks it to give up; nil if none does.
    private let handOver: (@Sendable () -> Void)?
    private let connections = Lock<[ObjectIdentifier: LocalSocket]>([:])

    /// Begins to serve.
    /// - Parameters:
    ///   - lock: What ``DriveAddress/becomeAgent()`` returned.
    ///   - user: The user whose programs are served.
    ///   - patience: Seconds in which a program has to send its request.
    ///   - handOver: Called when `stratus drive run` asks this process to give up; nil if it does not.
    package init(
        _ controls: any DriveControls, at address: DriveAddress, lock: FileLock, user: uid_t = geteuid(),
        patience: Double? = nil, handOver: (@Sendable () -> Void)? = nil
    ) throws(DriveError) {
        do {
            try CoordinationDirectory.prepare((address.socket as NSString).deletingLastPathComponent)
        } catch {
            throw DriveError(.failed, "the directory of '\(address.socket)' is not the user's alone")
        }
        guard let socket = LocalSocket(listeningAt: address.socket) else {
            throw DriveError(.failed, "'\(address.socket)' cannot be made: \(String(cString: strerror(errno)))")
        }
        self.controls = controls
        path = address.socket
        self.socket = socket
        self.lock = lock
        self.patience = patience ?? DriveLimits.patience
        self.handOver = handOver
        Thread.detachNewThread { [weak self] in
            while let connection = socket.accept(from: user) {
                guard let self else { return }
                self.serve(connection)
            }
        }
    }

    deinit { stop() }

    /// Ends all connections, and takes no more.
    package func stop() {
        socket.shutDown()
        unlink(path)
        for connection in connections.withLock({ Array($0.values) }) { connection.shutDown() }
    }

    /// Serves a connection on a thread of its own, so that nobody waits for others.
    private func serve(_ connection: LocalSocket) {
        let count = connections.withLock { connections in
            guard connections.count < DriveLimits.connections + DriveLimits.reservedConnections else { return Int.max }
            connections[ObjectIdentifier(connection)] = connection
            return connections.count
        }
        guard count < Int.max else { return }
        let isReserved = count > DriveLimits.connections
        Thread.detachNewThread { [weak self, controls, patience, handOver] in
            defer { _ = self?.connections.withLock { $0.removeValue(forKey: ObjectIdentifier(connection)) } }
            connection.limitReceiving(to: patience)
            guard let message = connection.receive(limit: DriveLimits.request) else { return }
            if isReserved, !Self.isHandOver(message) { return }
            connection.limitReceiving(to: nil)
            let task = Task {
                let answer = await Self.answer(message, controls, handOver)
                // Sending blocks while the program does not read.
                Thread.detachNewThread {
                    connection.send(answer, limit: DriveLimits.answer)
                    connection.shutDown()
                }
            }
            // Nothing follows but the end of the connection. If the program ends it, nobody wants the answer any more.
            _ = connection.receive(limit: 0)
            task.cancel()
        }
    }

    /// Whether a message is the request that is answered also when there are as many connections as the limit.
    private static func isHandOver(_ message: Data) -> Bool {
        (try? JSONDecoder().decode(DriveRequest.self, from: message)) == .handOver
    }

    private static func answer(
        _ message: Data, _ controls: any DriveControls, _ handOver: (@Sendable () -> Void)?
    ) async -> Data {
        let result: DriveAnswer
        do throws(DriveError) {
            guard let request = try? JSONDecoder().decode(DriveRequest.self, from: message) else {
                throw DriveError(.failed, "the agent does not know the request; it may be of another version")
            }
            if request == .handOver, let handOver {
                handOver()
                result = .done
            } else {
                result = try await request.perform(controls)
            }
        } catch {
            result = .failed(error)
        }
        let encoder = JSONEncoder()
        if let bytes = try? encoder.encode(result), bytes.count <= DriveLimits.answer { return bytes }
        let failure = DriveError(.failed, "the answer would have more than \(DriveLimits.answer) bytes")
        return (try? encoder.encode(DriveAnswer.failed(failure))) ?? Data()
    }
}
