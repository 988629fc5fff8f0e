import Foundation

/// The attributes of files that queries know.
enum MetadataAttributes {
    /// The attributes of the item at a canonical path, or of its placeholder; nil if there is neither.
    static func of(_ path: String) -> [String: Any]? {
        let manager = FileManager.default
        let placeholder = UbiquityState.placeholder(of: path)
        guard
            let file = (try? manager.attributesOfItem(atPath: path))
                ?? (try? manager.attributesOfItem(atPath: placeholder))
        else { return nil }
        let url = URL(fileURLWithPath: path)
        let type = ContentType.identifier(of: url)
        var values: [String: Any] = [
            NSMetadataItemFSNameKey: url.lastPathComponent as NSString,
            NSMetadataItemDisplayNameKey: url.deletingPathExtension().lastPathComponent as NSString,
            NSMetadataItemURLKey: url as NSURL, NSMetadataItemPathKey: path as NSString,
            NSMetadataItemContentTypeKey: type as NSString,
            NSMetadataItemContentTypeTreeKey: ContentType.tree(of: type) as NSArray,
        ]
        values[NSMetadataItemFSSizeKey] = file[.size] as? NSNumber
        values[NSMetadataItemFSCreationDateKey] =
            (file[.creationDate] ?? file[.modificationDate]) as? NSDate
            ?? (file[.modificationDate] as? Date).map { $0 as NSDate }
        values[NSMetadataItemFSContentChangeDateKey] = (file[.modificationDate] as? Date).map { $0 as NSDate }
        let container = UbiquityContainer.containing(path).flatMap { $0.has(path) ? $0 : nil }
        let state = UbiquityState.of(path)
        let isUbiquitous = container != nil && !state.isExcluded
        values[NSMetadataItemIsUbiquitousKey] = NSNumber(value: isUbiquitous)
        guard let container, isUbiquitous else { return values }
        if let size = state.size, !manager.fileExists(atPath: path) {
            values[NSMetadataItemFSSizeKey] = NSNumber(value: size)
        }
        return values.merging(ubiquity(state, url, container)) { $1 }
    }

    private static func ubiquity(_ state: UbiquityState, _ url: URL, _ container: UbiquityContainer) -> [String: Any] {
        var values: [String: Any] = [
            NSMetadataUbiquitousItemHasUnresolvedConflictsKey: NSNumber(value: state.hasUnresolvedConflicts(at: url)),
            NSMetadataUbiquitousItemDownloadingStatusKey: status(state.downloadingStatus(at: url.path)) as NSString,
            NSMetadataUbiquitousItemIsDownloadingKey: NSNumber(value: state.isDownloading),
            NSMetadataUbiquitousItemIsUploadedKey: NSNumber(value: state.isUploaded),
            NSMetadataUbiquitousItemIsUploadingKey: NSNumber(value: state.isUploading),
            NSMetadataUbiquitousItemDownloadRequestedKey: NSNumber(value: state.isDownloadRequested),
            NSMetadataUbiquitousItemContainerDisplayNameKey: container.identifier as NSString,
            NSMetadataUbiquitousItemURLInLocalContainerKey: url as NSURL,
            NSMetadataUbiquitousItemIsSharedKey: NSNumber(value: state.isShared),
            NSMetadataUbiquitousItemIsExternalDocumentKey: NSNumber(value: false),
        ]
        if state.isShared {
            // A container has the person's own items, and none that other people share with them.
            values[NSMetadataUbiquitousSharedItemCurrentUserRoleKey] =
                NSMetadataUbiquitousSharedItemRoleOwner as NSString
            values[NSMetadataUbiquitousSharedItemCurrentUserPermissionsKey] =
                NSMetadataUbiquitousSharedItemPermissionsReadWrite as NSString
        }
        values[NSMetadataUbiquitousItemPercentUploadedKey] = state.percentUploaded.map { NSNumber(value: $0) }
        values[NSMetadataUbiquitousItemPercentDownloadedKey] = state.percentDownloaded.map { NSNumber(value: $0) }
        values[NSMetadataUbiquitousItemUploadingErrorKey] = state.uploadFailure?.error
        values[NSMetadataUbiquitousItemDownloadingErrorKey] = state.downloadFailure?.error
        return values
    }

    private static func status(_ status: UbiquityState.Download) -> String {
        switch status {
        case .notDownloaded: NSMetadataUbiquitousItemDownloadingStatusNotDownloaded
        case .downloaded: NSMetadataUbiquitousItemDownloadingStatusDownloaded
        case .current: NSMetadataUbiquitousItemDownloadingStatusCurrent
        }
    }

    /// Whether a program could see a difference between two states of an item.
    static func areEqual(_ one: [String: Any], _ other: [String: Any]) -> Bool {
        one.count == other.count
            && one.allSatisfy { key, value in
                guard let value = value as? NSObject, let otherValue = other[key] as? NSObject else { return false }
                return value.isEqual(otherValue)
            }
    }
}
