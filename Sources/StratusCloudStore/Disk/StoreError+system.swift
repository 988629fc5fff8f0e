import Glibc

extension StoreError {
    /// A failed call of the system: its error number, and what it was for.
    public init(system error: Int32, while action: String) {
        self.init(Self.code(systemError: error), "\(action): \(String(cString: strerror(error)))")
    }

    /// What an error number of the system means for the store.
    static func code(systemError: Int32) -> Code {
        switch systemError {
        // A limit of file sizes is a lack of room, too.
        case ENOSPC, EDQUOT, EFBIG: .diskFull
        case EROFS, EACCES, EPERM: .readOnly
        default: .ioFailure
        }
    }
}
