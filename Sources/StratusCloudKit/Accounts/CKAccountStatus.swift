import Foundation

/// Whether somebody is signed in.
public enum CKAccountStatus: Int, Sendable {
    /// It cannot be found out now.
    case couldNotDetermine = 0
    /// Somebody is signed in.
    case available = 1
    /// The account may not use the cloud.
    case restricted = 2
    /// Nobody is signed in.
    case noAccount = 3
    /// Somebody is signed in, but must do something first.
    case temporarilyUnavailable = 4
}

extension NSNotification.Name {
    // swift-format-ignore: AlwaysUseLowerCamelCase
    /// Somebody signed in or out. Posted on any thread.
    public static let CKAccountChanged = NSNotification.Name("CKAccountChangedNotification")
}
