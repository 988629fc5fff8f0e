import Foundation

// swift-format-ignore: AlwaysUseLowerCamelCase
/// The name of the file: a `String`.
public let NSMetadataItemFSNameKey = "kMDItemFSName"
// swift-format-ignore: AlwaysUseLowerCamelCase
/// The name as people see it: a `String`.
public let NSMetadataItemDisplayNameKey = "kMDItemDisplayName"
// swift-format-ignore: AlwaysUseLowerCamelCase
/// The place of the item: a `URL`.
public let NSMetadataItemURLKey = "kMDItemURL"
// swift-format-ignore: AlwaysUseLowerCamelCase
/// The path of the item: a `String`.
public let NSMetadataItemPathKey = "kMDItemPath"
// swift-format-ignore: AlwaysUseLowerCamelCase
/// The size of the item in bytes: an `NSNumber`.
public let NSMetadataItemFSSizeKey = "kMDItemFSSize"
// swift-format-ignore: AlwaysUseLowerCamelCase
/// The date at which the item was created: a `Date`.
public let NSMetadataItemFSCreationDateKey = "kMDItemFSCreationDate"
// swift-format-ignore: AlwaysUseLowerCamelCase
/// The date at which the contents of the item last changed: a `Date`.
public let NSMetadataItemFSContentChangeDateKey = "kMDItemFSContentChangeDate"
// swift-format-ignore: AlwaysUseLowerCamelCase
/// The uniform type identifier of the item: a `String`.
public let NSMetadataItemContentTypeKey = "kMDItemContentType"
// swift-format-ignore: AlwaysUseLowerCamelCase
/// The types that the item's type conforms to: an array of `String`.
public let NSMetadataItemContentTypeTreeKey = "kMDItemContentTypeTree"
// swift-format-ignore: AlwaysUseLowerCamelCase
/// Whether the item is in a container: an `NSNumber` with a Boolean.
public let NSMetadataItemIsUbiquitousKey = "NSMetadataItemIsUbiquitousKey"
// swift-format-ignore: AlwaysUseLowerCamelCase
/// Whether the item has versions in conflict: an `NSNumber` with a Boolean.
public let NSMetadataUbiquitousItemHasUnresolvedConflictsKey = "NSMetadataUbiquitousItemHasUnresolvedConflictsKey"
// swift-format-ignore: AlwaysUseLowerCamelCase
/// Whether the newest contents are on this machine: one of the three values below.
public let NSMetadataUbiquitousItemDownloadingStatusKey = "NSMetadataUbiquitousItemDownloadingStatusKey"
// swift-format-ignore: AlwaysUseLowerCamelCase
/// The contents of the item are not on this machine.
public let NSMetadataUbiquitousItemDownloadingStatusNotDownloaded =
    "NSMetadataUbiquitousItemDownloadingStatusNotDownloaded"
// swift-format-ignore: AlwaysUseLowerCamelCase
/// This machine has contents of the item, and newer ones are known.
public let NSMetadataUbiquitousItemDownloadingStatusDownloaded = "NSMetadataUbiquitousItemDownloadingStatusDownloaded"
// swift-format-ignore: AlwaysUseLowerCamelCase
/// This machine has the newest contents that are known.
public let NSMetadataUbiquitousItemDownloadingStatusCurrent = "NSMetadataUbiquitousItemDownloadingStatusCurrent"
// swift-format-ignore: AlwaysUseLowerCamelCase
/// Whether the item is being downloaded: an `NSNumber` with a Boolean.
public let NSMetadataUbiquitousItemIsDownloadingKey = "NSMetadataUbiquitousItemIsDownloadingKey"
// swift-format-ignore: AlwaysUseLowerCamelCase
/// Whether the contents of the item are in the cloud: an `NSNumber` with a Boolean.
public let NSMetadataUbiquitousItemIsUploadedKey = "NSMetadataUbiquitousItemIsUploadedKey"
// swift-format-ignore: AlwaysUseLowerCamelCase
/// Whether the item is being uploaded: an `NSNumber` with a Boolean.
public let NSMetadataUbiquitousItemIsUploadingKey = "NSMetadataUbiquitousItemIsUploadingKey"
// swift-format-ignore: AlwaysUseLowerCamelCase
/// The percentage of the item that is downloaded, 0 to 100: an `NSNumber`.
public let NSMetadataUbiquitousItemPercentDownloadedKey = "NSMetadataUbiquitousItemPercentDownloadedKey"
// swift-format-ignore: AlwaysUseLowerCamelCase
/// The percentage of the item that is uploaded, 0 to 100: an `NSNumber`.
public let NSMetadataUbiquitousItemPercentUploadedKey = "NSMetadataUbiquitousItemPercentUploadedKey"
// swift-format-ignore: AlwaysUseLowerCamelCase
/// The error of the item's last download: an `NSError`.
public let NSMetadataUbiquitousItemDownloadingErrorKey = "NSMetadataUbiquitousItemDownloadingErrorKey"
// swift-format-ignore: AlwaysUseLowerCamelCase
/// The error of the item's last upload: an `NSError`.
public let NSMetadataUbiquitousItemUploadingErrorKey = "NSMetadataUbiquitousItemUploadingErrorKey"
// swift-format-ignore: AlwaysUseLowerCamelCase
/// Whether a download was requested: an `NSNumber` with a Boolean.
public let NSMetadataUbiquitousItemDownloadRequestedKey = "NSMetadataUbiquitousItemDownloadRequestedKey"
// swift-format-ignore: AlwaysUseLowerCamelCase
/// The name of the item's container as people see it: a `String`.
public let NSMetadataUbiquitousItemContainerDisplayNameKey = "NSMetadataUbiquitousItemContainerDisplayNameKey"
// swift-format-ignore: AlwaysUseLowerCamelCase
/// The place of the item in its container: a `URL`.
public let NSMetadataUbiquitousItemURLInLocalContainerKey = "NSMetadataUbiquitousItemURLInLocalContainerKey"
// swift-format-ignore: AlwaysUseLowerCamelCase
/// Whether the item is shared: an `NSNumber` with a Boolean.
public let NSMetadataUbiquitousItemIsSharedKey = "NSMetadataUbiquitousItemIsSharedKey"
// swift-format-ignore: AlwaysUseLowerCamelCase
/// Whether the item is in another app's container and was opened by this one: an `NSNumber` with false, because programs
/// on Linux open such items by their paths.
public let NSMetadataUbiquitousItemIsExternalDocumentKey = "NSMetadataUbiquitousItemIsExternalDocumentKey"
// swift-format-ignore: AlwaysUseLowerCamelCase
/// The part that the person has in the share of the item: one of the two values below.
public let NSMetadataUbiquitousSharedItemCurrentUserRoleKey = "NSMetadataUbiquitousSharedItemCurrentUserRoleKey"
// swift-format-ignore: AlwaysUseLowerCamelCase
/// The person shares the item.
public let NSMetadataUbiquitousSharedItemRoleOwner = "NSMetadataUbiquitousSharedItemRoleOwner"
// swift-format-ignore: AlwaysUseLowerCamelCase
/// Another person shares the item with this one.
public let NSMetadataUbiquitousSharedItemRoleParticipant = "NSMetadataUbiquitousSharedItemRoleParticipant"
// swift-format-ignore: AlwaysUseLowerCamelCase
/// The person's permission for the shared item: one of the two values below.
public let NSMetadataUbiquitousSharedItemCurrentUserPermissionsKey =
    "NSMetadataUbiquitousSharedItemCurrentUserPermissionsKey"
// swift-format-ignore: AlwaysUseLowerCamelCase
/// The person may only read the item.
public let NSMetadataUbiquitousSharedItemPermissionsReadOnly = "NSMetadataUbiquitousSharedItemPermissionsReadOnly"
// swift-format-ignore: AlwaysUseLowerCamelCase
/// The person may read and change the item.
public let NSMetadataUbiquitousSharedItemPermissionsReadWrite = "NSMetadataUbiquitousSharedItemPermissionsReadWrite"

// swift-format-ignore: AlwaysUseLowerCamelCase
/// The `Documents` folders of the containers.
public let NSMetadataQueryUbiquitousDocumentsScope = "NSMetadataQueryUbiquitousDocumentsScope"
// swift-format-ignore: AlwaysUseLowerCamelCase
/// The containers without their `Documents` folders.
public let NSMetadataQueryUbiquitousDataScope = "NSMetadataQueryUbiquitousDataScope"
// swift-format-ignore: AlwaysUseLowerCamelCase
/// Items of other apps' containers that this one was allowed to open. Nothing is in this scope on Linux, where programs
/// need no such permission.
public let NSMetadataQueryAccessibleUbiquitousExternalDocumentsScope =
    "NSMetadataQueryAccessibleUbiquitousExternalDocumentsScope"

// swift-format-ignore: AlwaysUseLowerCamelCase
/// The key of the items that an update added: an array of `NSMetadataItem`.
public let NSMetadataQueryUpdateAddedItemsKey = "kMDQueryUpdateAddedItems"
// swift-format-ignore: AlwaysUseLowerCamelCase
/// The key of the items that changed: an array of `NSMetadataItem`.
public let NSMetadataQueryUpdateChangedItemsKey = "kMDQueryUpdateChangedItems"
// swift-format-ignore: AlwaysUseLowerCamelCase
/// The key of the items that are no longer results: an array of `NSMetadataItem`.
public let NSMetadataQueryUpdateRemovedItemsKey = "kMDQueryUpdateRemovedItems"

extension Notification.Name {
    // swift-format-ignore: AlwaysUseLowerCamelCase
    /// Posted when a query starts to gather results.
    public static let NSMetadataQueryDidStartGathering = Notification.Name(
        "NSMetadataQueryDidStartGatheringNotification")
    // swift-format-ignore: AlwaysUseLowerCamelCase
    /// Posted while a query gathers results.
    public static let NSMetadataQueryGatheringProgress = Notification.Name(
        "NSMetadataQueryGatheringProgressNotification")
    // swift-format-ignore: AlwaysUseLowerCamelCase
    /// Posted when a query has gathered all results.
    public static let NSMetadataQueryDidFinishGathering = Notification.Name(
        "NSMetadataQueryDidFinishGatheringNotification")
    // swift-format-ignore: AlwaysUseLowerCamelCase
    /// Posted when the results of a query changed after gathering.
    public static let NSMetadataQueryDidUpdate = Notification.Name("NSMetadataQueryDidUpdateNotification")
}
