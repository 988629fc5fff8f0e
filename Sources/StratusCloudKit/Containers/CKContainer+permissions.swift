import Foundation

// Deprecated at Apple. Here the user says on the sign-in page who may find them, and an app can only see what was said.
extension CKContainer {
    /// What an app may be allowed.
    public struct ApplicationPermissions: OptionSet, Sendable {
        /// The bits.
        public let rawValue: UInt

        /// Takes the bits.
        public init(rawValue: UInt) { self.rawValue = rawValue }

        /// The user may be found by others in this container.
        public static let userDiscoverability = ApplicationPermissions(rawValue: 1)
    }

    /// Whether an app is allowed something.
    public enum ApplicationPermissionStatus: Int, Sendable {
        /// The user has not said so.
        case initialState = 0
        /// It cannot be asked for.
        case couldNotComplete = 1
        /// The user has said no.
        case denied = 2
        /// The user has said yes.
        case granted = 3
    }

    /// Takes whether an app is allowed something.
    public typealias ApplicationPermissionBlock = @Sendable (ApplicationPermissionStatus, (any Error)?) -> Void

    /// Whether the app is allowed something.
    public func applicationPermissionStatus(
        for applicationPermission: ApplicationPermissions
    ) async throws -> ApplicationPermissionStatus {
        try await client().isDiscoverable() ? .granted : .initialState
    }

    /// Whether the app is allowed something. There is nobody to ask here: what the user has not allowed when signing in
    /// cannot be completed.
    public func requestApplicationPermission(
        _ applicationPermission: ApplicationPermissions
    ) async throws -> ApplicationPermissionStatus {
        try await client().isDiscoverable() ? .granted : .couldNotComplete
    }

    /// Whether the app is allowed something.
    @preconcurrency
    public func status(
        forApplicationPermission applicationPermission: ApplicationPermissions,
        completionHandler: @escaping ApplicationPermissionBlock
    ) {
        Completion.run({ try await self.applicationPermissionStatus(for: applicationPermission) }) { result in
            switch result {
            case .success(let status): completionHandler(status, nil)
            case .failure(let error): completionHandler(.couldNotComplete, error)
            }
        }
    }

    /// Whether the app is allowed something.
    @preconcurrency
    public func requestApplicationPermission(
        _ applicationPermission: ApplicationPermissions, completionHandler: @escaping ApplicationPermissionBlock
    ) {
        Completion.run({ try await self.requestApplicationPermission(applicationPermission) }) { result in
            switch result {
            case .success(let status): completionHandler(status, nil)
            case .failure(let error): completionHandler(.couldNotComplete, error)
            }
        }
    }
}
