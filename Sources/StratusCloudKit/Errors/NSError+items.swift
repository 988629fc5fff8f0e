import Foundation

extension NSError {
    /// A partial failure that does not say of what is one of all items of the call: whoever is told of one looks for the
    /// items' errors.
    func concerning(_ call: CloudCall) -> NSError {
        guard cloudKitCode == .partialFailure, userInfo[CKPartialErrorsByItemIDKey] == nil else { return self }
        let error = NSError.cloudKit(.serverRejectedRequest, localizedDescription)
        var userInfo = userInfo
        userInfo[CKPartialErrorsByItemIDKey] = Dictionary(call.itemIDs.map { ($0, error as any Error) }) { $1 }
        return NSError(domain: domain, code: code, userInfo: userInfo)
    }
}
