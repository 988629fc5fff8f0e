import Glibc
import StratusCloudKit

/// A number of `errno` that a program gets from a call to the mounted file system.
struct SystemError: Error, Hashable {
    let code: Int32

    init(_ code: Int32) { self.code = code }

    /// The error of the system call that failed last.
    static var last: SystemError { SystemError(errno) }
}

/// The reason why a request to the cloud failed.
enum CloudFailure: Error {
    /// It cannot be reached or asks to wait: the same request may succeed later.
    case unreachable
    /// It refused the request.
    case refused(CKError)

    init(_ error: any Error) {
        guard let error = error as? CKError else {
            self = .unreachable
            return
        }
        switch error.code {
        case .networkUnavailable, .networkFailure, .serverResponseLost, .serviceUnavailable, .requestRateLimited,
            .zoneBusy, .operationCancelled, .accountTemporarilyUnavailable:
            self = .unreachable
        default: self = .refused(error)
        }
    }

    /// The error that a program gets.
    var systemError: SystemError {
        switch self {
        case .unreachable: SystemError(EIO)
        case .refused(let error):
            switch error.code {
            case .quotaExceeded: SystemError(ENOSPC)
            case .constraintViolation: SystemError(EEXIST)
            case .unknownItem, .zoneNotFound, .userDeletedZone, .referenceViolation: SystemError(ENOENT)
            case .notAuthenticated, .permissionFailure, .managedAccountRestricted: SystemError(EACCES)
            case .limitExceeded: SystemError(EFBIG)
            case .invalidArguments, .serverRejectedRequest: SystemError(EINVAL)
            default: SystemError(EIO)
            }
        }
    }
}
