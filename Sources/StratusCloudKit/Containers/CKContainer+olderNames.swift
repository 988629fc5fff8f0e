extension CKContainer {
    /// Names that ``ApplicationPermissions`` and its neighbours have, too.
    public enum Application {
        /// What an app may be allowed.
        public typealias Permissions = CKContainer.ApplicationPermissions
        /// Whether an app is allowed something.
        public typealias PermissionStatus = CKContainer.ApplicationPermissionStatus
        /// Takes whether an app is allowed something.
        public typealias PermissionBlock = CKContainer.ApplicationPermissionBlock
    }
}

// What Swift 4 called them.

// swift-format-ignore: AlwaysUseLowerCamelCase
/// The older name of ``CKContainer/ApplicationPermissions``.
@available(*, deprecated, renamed: "CKContainer.ApplicationPermissions")
public typealias CKContainer_Application_Permissions = CKContainer.ApplicationPermissions
// swift-format-ignore: AlwaysUseLowerCamelCase
/// The older name of ``CKContainer/ApplicationPermissionStatus``.
@available(*, deprecated, renamed: "CKContainer.ApplicationPermissionStatus")
public typealias CKContainer_Application_PermissionStatus = CKContainer.ApplicationPermissionStatus
// swift-format-ignore: AlwaysUseLowerCamelCase
/// The older name of ``CKContainer/ApplicationPermissionBlock``.
@available(*, deprecated, renamed: "CKContainer.ApplicationPermissionBlock")
public typealias CKContainer_Application_PermissionBlock = CKContainer.ApplicationPermissionBlock
