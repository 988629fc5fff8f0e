import Foundation

extension CKError {
    /// Any error as one of CloudKit.
    package init(any error: any Error) {
        let error = error is Succeeded ? NSError.operationCancelled : error as NSError
        if error.domain == CKErrorDomain {
            self.init(_nsError: error)
        } else {
            self.init(
                _nsError: .cloudKit(.internalError, error.localizedDescription, [NSUnderlyingErrorKey: error]))
        }
    }

    /// Whether it passes by itself, so that the engine tries again and the app need do nothing.
    package var isTransient: Bool {
        switch code {
        case .notAuthenticated, .accountTemporarilyUnavailable, .networkFailure, .networkUnavailable,
            .requestRateLimited, .serviceUnavailable, .zoneBusy:
            true
        // May have been done: what was is then told as a conflict, and nothing is lost.
        case .serverResponseLost, .operationCancelled: true
        default: false
        }
    }
}

/// What went wrong in one fetch or send.
struct SyncFailures {
    private var items: [AnyHashable: any Error] = [:]
    private var whole: (any Error)?

    var isEmpty: Bool { items.isEmpty && whole == nil }

    mutating func add(_ error: any Error, of item: AnyHashable) { items[item] = error }

    /// Notes what concerns all of it; the first such counts.
    mutating func add(_ error: any Error) { whole = whole ?? error }

    /// - Throws: what concerns all of it; `CKError.partialFailure` for single items.
    func check(_ what: String) throws { if let error = error(what) { throw error } }

    /// The error that ``check(_:)`` throws.
    func error(_ what: String) -> (any Error)? { whole ?? NSError.partialFailure(items, "\(items.count) \(what)") }
}

extension Error {
    /// The errors of the items that failed, or the one of all.
    var syncErrors: [CKError] {
        let error = CKError(any: self)
        guard error.code == .partialFailure, let items = error.partialErrorsByItemID, !items.isEmpty else {
            return [error]
        }
        return items.values.map { CKError(any: $0) }
    }
}
