import StratusCloudKit

extension DriveError {
    /// What a request to the server failed with.
    init(_ error: any Error, path: String? = nil) {
        if let error = error as? DriveError {
            self = error
            return
        }
        let code: Code =
            switch (error as? CKError)?.code {
            case .networkUnavailable, .networkFailure, .serviceUnavailable, .requestRateLimited, .zoneBusy,
                .serverResponseLost, .notAuthenticated, .accountTemporarilyUnavailable:
                .serverNotAvailable
            case .quotaExceeded: .overQuota
            case .unknownItem: .noSuchFile
            case .permissionFailure: .noPermission
            case .operationCancelled: .cancelled
            default: .failed
            }
        self.init(code, path: path, error.localizedDescription)
    }
}
