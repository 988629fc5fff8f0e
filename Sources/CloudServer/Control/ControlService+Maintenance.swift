import CloudModel
import CloudStore
import Glibc

/// What the operator does with the store as a whole. Works on every engine that keeps something.
extension ControlService {
    func backUp(to path: String) async throws(CloudError) -> ControlResponse {
        let store = try maintained()
        guard path.hasPrefix("/"), !path.hasSuffix("/"), !path.utf8.contains(0) else {
            throw CloudError(.badRequest, "'\(path)' is not an absolute path of a file")
        }
        var status = stat()
        guard lstat(path, &status) != 0 else {
            throw CloudError(.exists, "\(path) exists; a backup replaces nothing")
        }
        do {
            try await store.backUp(to: path)
            return .backup(nameInDataDirectory: store.nameInDataDirectory)
        } catch {
            return Self.failure(error)
        }
    }

    func verify() async throws(CloudError) -> ControlResponse {
        let store = try maintained()
        do {
            try await store.verify()
            return .done
        } catch {
            return Self.failure(error)
        }
    }

    private func maintained() throws(CloudError) -> any MaintainedStore {
        guard let store else { throw CloudError(.badRequest, "this server's store can be neither copied nor checked") }
        return store
    }

    private static func failure(_ error: any Error) -> ControlResponse {
        guard let error = error as? StoreError else {
            return .storeFailed(code: StoreError.Code.ioFailure.rawValue, message: "\(error)")
        }
        return .storeFailed(code: error.code.rawValue, message: error.message)
    }
}
