import Glibc
import StratusCloudServer
import StratusCloudStore

/// Finds who can do operator commands for a data directory: its server if one runs, otherwise this process.
enum OperatorConnection {
    /// Times that both ways are tried. A server may start or stop between one and the other or have as many commands
    /// as it takes, and another command may hold the lock for a moment.
    private static let attempts = 200
    /// Between two attempts.
    private static let pause = Duration.milliseconds(50)

    /// - Throws: ``ToolError`` if the data cannot be opened, or is in use by something without a control socket.
    /// - Parameter mayCreate: whether a directory without data, or none, becomes one with data.
    static func open(
        _ directory: DataDirectory, mayCreate: Bool = false
    ) async throws(ToolError) -> any Operator {
        // A sleep that is cut short only makes the next attempt earlier.
        for attempt in 1...attempts {
            do {
                if let remote = try await connect(directory) { return remote }
                if !mayCreate { try directory.checkData() }
                return try await LocalOperator.open(directory)
            } catch let error as ToolError where error.code == ToolError.busyServerCode && attempt < attempts {
                try? await Task.sleep(for: pause)
            } catch let error as StoreError where error.code == .locked && attempt < attempts {
                try? await Task.sleep(for: pause)
            } catch {
                throw ToolError(opening: directory, error)
            }
        }
        throw ToolError("the data directory \(directory.path) is in use", code: "LOCKED")
    }

    /// The running server; nil if nobody listens. The socket of a crashed server is there, but refuses.
    private static func connect(_ directory: DataDirectory) async throws(ToolError) -> SocketOperator? {
        let path = ControlSocket.path(for: directory.path)
        guard access(path, F_OK) == 0 else { return nil }
        let remote = SocketOperator(socket: path)
        do {
            _ = try await remote.perform(.ping)
            return remote
        } catch  where error.code == ToolError.noServerCode {
            return nil
        }
    }
}

extension ToolError {
    /// A data directory that could not be opened, in words for the operator.
    init(opening directory: DataDirectory, _ error: any Error) {
        switch error {
        case let error as ToolError: self = error
        case let error as StoreError:
            self.init("cannot open the data in \(directory.path): \(error.message)", code: error.code.errorWord)
        default: self.init("cannot open the data in \(directory.path): \(error)")
        }
    }
}

extension ToolError {
    /// What an engine or a backup says.
    init(_ error: StoreError) { self.init(error.message, code: error.code.errorWord) }

    /// Runs what fails with errors of a store.
    static func wrapping<Result>(_ body: () throws(StoreError) -> Result) throws(ToolError) -> Result {
        do throws(StoreError) {
            return try body()
        } catch {
            throw ToolError(error)
        }
    }
}

extension StoreError.Code {
    /// As machine-readable errors name it.
    var errorWord: String {
        switch self {
        case .diskFull: "DISK_FULL"
        case .readOnly: "READ_ONLY"
        case .locked: "LOCKED"
        case .newerFormat: "NEWER_FORMAT"
        case .otherEngine: "OTHER_ENGINE"
        case .corrupted: "CORRUPTED"
        case .ioFailure: "IO_FAILURE"
        case .closed: "CLOSED"
        case .tooLarge: "TOO_LARGE"
        }
    }
}
