import Foundation

/// The resource values of files that Foundation on Linux lacks.
enum FurtherResourceValues {
    /// The keys of items in containers.
    private static let ubiquityKeys: Set<URLResourceKey> = [
        .isUbiquitousItemKey, .ubiquitousItemHasUnresolvedConflictsKey, .ubiquitousItemIsDownloadingKey,
        .ubiquitousItemIsUploadedKey, .ubiquitousItemIsUploadingKey, .ubiquitousItemDownloadingStatusKey,
        .ubiquitousItemDownloadingErrorKey, .ubiquitousItemUploadingErrorKey, .ubiquitousItemDownloadRequestedKey,
        .ubiquitousItemContainerDisplayNameKey, .ubiquitousItemIsExcludedFromSyncKey, .ubiquitousItemIsSharedKey,
        .ubiquitousSharedItemCurrentUserRoleKey, .ubiquitousSharedItemCurrentUserPermissionsKey,
    ]

    /// The keys whose values are given here.
    static let keys = ubiquityKeys.union([.isExcludedFromBackupKey])

    /// The keys whose values can be set.
    static let settableKeys: Set<URLResourceKey> = [.isExcludedFromBackupKey, .ubiquitousItemIsExcludedFromSyncKey]

    /// The value of a key; nil if it has none for the item.
    static func value(of key: URLResourceKey, at path: String) throws -> Any? {
        if key == .isExcludedFromBackupKey { return BackupExclusion.isExcluded(path) }
        let path = CoordinatedPath.canonical(URL(fileURLWithPath: path))
        let container = UbiquityContainer.containing(path).flatMap { $0.has(path) ? $0 : nil }
        let state = UbiquityState.of(path)
        if key == .isUbiquitousItemKey { return container != nil && !state.isExcluded }
        guard let container else { return nil }
        if key == .ubiquitousItemIsExcludedFromSyncKey { return state.isExcluded }
        return state.isExcluded ? nil : value(of: key, state, path, container)
    }

    private static func value(
        of key: URLResourceKey, _ state: UbiquityState, _ path: String, _ container: UbiquityContainer
    ) -> Any? {
        switch key {
        case .ubiquitousItemHasUnresolvedConflictsKey: state.hasUnresolvedConflicts(at: URL(fileURLWithPath: path))
        case .ubiquitousItemIsDownloadingKey: state.isDownloading
        case .ubiquitousItemIsUploadedKey: state.isUploaded
        case .ubiquitousItemIsUploadingKey: state.isUploading
        case .ubiquitousItemDownloadingStatusKey: state.downloadingStatus(at: path).rawValue
        case .ubiquitousItemDownloadingErrorKey: state.downloadFailure?.error
        case .ubiquitousItemUploadingErrorKey: state.uploadFailure?.error
        case .ubiquitousItemDownloadRequestedKey: state.isDownloadRequested
        case .ubiquitousItemContainerDisplayNameKey: container.identifier
        case .ubiquitousItemIsSharedKey: state.isShared
        // A container has the person's own items, and none that other people share with them.
        case .ubiquitousSharedItemCurrentUserRoleKey:
            state.isShared ? URLUbiquitousSharedItemRole.owner.rawValue : nil
        case .ubiquitousSharedItemCurrentUserPermissionsKey:
            state.isShared ? URLUbiquitousSharedItemPermissions.readWrite.rawValue : nil
        default: nil
        }
    }

    /// Sets a value.
    static func set(_ key: URLResourceKey, to value: Any, at path: String) throws {
        guard let flag = value as? Bool else { return }
        if key == .isExcludedFromBackupKey { return try BackupExclusion.set(flag, at: path) }
        let item = CoordinatedPath.canonical(URL(fileURLWithPath: path))
        guard UbiquityContainer.containing(item)?.has(item) == true else { return }
        var state = UbiquityState.of(item)
        state.isExcluded = flag
        try state.write(to: item, changed: [key, .isUbiquitousItemKey])
    }
}

extension UbiquityState.Failure {
    var error: NSError { NSError(domain: domain, code: code, userInfo: [NSLocalizedDescriptionKey: text]) }
}
