import Foundation
import StratusCloudKit
import StratusSQLite

extension DriveError {
    /// Whether an error of a step concerns the item only, so that others are still synchronized.
    static func concernsItem(_ error: any Error) -> Bool {
        error is DriveFailure || error is CKError || error is CocoaError || error is ZipReader.Failure
    }

    /// Describes the failure of a request to the server, or of a change of the folder.
    package init(_ error: any Error, path: String? = nil) {
        if let error = error as? DriveError {
            self = error
            return
        }
        if let failure = error as? DriveFailure {
            self.init(failure.isOutOfSpace ? .outOfSpace : .failed, path: path, failure.description)
            return
        }
        if let failure = error as? ZipReader.Failure {
            self.init(.failed, path: path, failure.description)
            return
        }
        if let error = error as? SQLiteError, error.code == .diskFull {
            self.init(.outOfSpace, path: path, "\(error)")
            return
        }
        if (error as? CocoaError)?.code == .fileWriteOutOfSpace {
            self.init(.outOfSpace, path: path, error.localizedDescription)
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
