import Foundation
import StratusTestSupport
import Testing

@testable import StratusUbiquity

/// The values of items in containers, as `URLResourceValues` and `NSMetadataItem` show them.
@Suite struct UbiquityValuesTests {
    private let container: URL
    private let file: URL

    init() throws {
        container = try SignedIn.container()
        file = container.appendingPathComponent("Documents/note.txt")
        try Data("12345".utf8).write(to: file)
    }

    private func write(_ change: (inout UbiquityState) -> Void) throws {
        var state = UbiquityState()
        change(&state)
        try state.write(to: CoordinatedPath.canonical(file))
    }

    private func values(_ keys: URLResourceKey...) throws -> URLResourceValues {
        // Not the URL that Foundation may have remembered values for.
        try URL(fileURLWithPath: file.path).resourceValues(forKeys: Set(keys))
    }

    private func attribute(_ key: String) -> Any? { NSMetadataItem(url: file)?.value(forAttribute: key) }

    @Test("transfers and their errors are shown") func transfers() throws {
        try write { state in
            (state.isUploading, state.isDownloading, state.isDownloadRequested) = (true, true, true)
            (state.percentUploaded, state.percentDownloaded, state.download) = (12.5, 75, .downloaded)
            state.uploadFailure = .init(domain: NSCocoaErrorDomain, code: 4354, text: "full")
            state.downloadFailure = .init(domain: NSCocoaErrorDomain, code: 4355, text: "away")
        }
        let values = try values(
            .ubiquitousItemIsUploadingKey, .ubiquitousItemIsDownloadingKey, .ubiquitousItemDownloadRequestedKey,
            .ubiquitousItemDownloadingStatusKey, .ubiquitousItemUploadingErrorKey,
            .ubiquitousItemDownloadingErrorKey, .ubiquitousItemContainerDisplayNameKey, .ubiquitousItemIsUploadedKey)
        #expect(values.ubiquitousItemIsUploading == true && values.ubiquitousItemIsUploaded == false)
        #expect(values.ubiquitousItemIsDownloading == true && values.ubiquitousItemDownloadRequested == true)
        #expect(values.ubiquitousItemDownloadingStatus == .downloaded)
        #expect(values.ubiquitousItemUploadingError?.code == 4354)
        #expect(values.ubiquitousItemDownloadingError?.code == 4355)
        #expect(values.ubiquitousItemContainerDisplayName == container.lastPathComponent)

        #expect(attribute(NSMetadataUbiquitousItemIsUploadingKey) as? Bool == true)
        #expect(attribute(NSMetadataUbiquitousItemIsDownloadingKey) as? Bool == true)
        #expect(attribute(NSMetadataUbiquitousItemDownloadRequestedKey) as? Bool == true)
        #expect(attribute(NSMetadataUbiquitousItemPercentUploadedKey) as? Double == 12.5)
        #expect(attribute(NSMetadataUbiquitousItemPercentDownloadedKey) as? Double == 75)
        #expect((attribute(NSMetadataUbiquitousItemUploadingErrorKey) as? NSError)?.code == 4354)
        #expect((attribute(NSMetadataUbiquitousItemDownloadingErrorKey) as? NSError)?.code == 4355)
        #expect(attribute(NSMetadataUbiquitousItemContainerDisplayNameKey) as? String == container.lastPathComponent)
        #expect(
            attribute(NSMetadataUbiquitousItemDownloadingStatusKey) as? String
                == NSMetadataUbiquitousItemDownloadingStatusDownloaded)
    }

    @Test("a shared item of the person is theirs, and they may change it") func sharing() throws {
        let keys: [URLResourceKey] = [
            .ubiquitousItemIsSharedKey, .ubiquitousSharedItemCurrentUserRoleKey,
            .ubiquitousSharedItemCurrentUserPermissionsKey,
        ]
        let before = try values(keys[0], keys[1], keys[2])
        #expect(before.ubiquitousItemIsShared == false && before.ubiquitousSharedItemCurrentUserRole == nil)
        #expect(before.ubiquitousSharedItemCurrentUserPermissions == nil)
        try write { $0.isShared = true }
        let values = try values(keys[0], keys[1], keys[2])
        #expect(values.ubiquitousItemIsShared == true)
        #expect(values.ubiquitousSharedItemCurrentUserRole == .owner)
        #expect(values.ubiquitousSharedItemCurrentUserPermissions == .readWrite)
        #expect(attribute(NSMetadataUbiquitousItemIsSharedKey) as? Bool == true)
        #expect(
            attribute(NSMetadataUbiquitousSharedItemCurrentUserRoleKey) as? String
                == NSMetadataUbiquitousSharedItemRoleOwner)
        #expect(
            attribute(NSMetadataUbiquitousSharedItemCurrentUserPermissionsKey) as? String
                == NSMetadataUbiquitousSharedItemPermissionsReadWrite)
    }

    @Test("an item that a program excludes stays on this machine, until it is included again") func exclusion() throws {
        var (url, new) = (file, URLResourceValues())
        for isExcluded in [true, false] {
            new.ubiquitousItemIsExcludedFromSync = isExcluded
            #expect(new.ubiquitousItemIsExcludedFromSync == isExcluded)
            try url.setResourceValues(new)
            let values = try values(
                .ubiquitousItemIsExcludedFromSyncKey, .isUbiquitousItemKey, .ubiquitousItemIsUploadedKey)
            #expect(values.ubiquitousItemIsExcludedFromSync == isExcluded)
            #expect(values.isUbiquitousItem == !isExcluded)
            #expect(values.ubiquitousItemIsUploaded == (isExcluded ? nil : false))
            #expect(FileManager.default.isUbiquitousItem(at: file) == !isExcluded)
            #expect(attribute(NSMetadataItemIsUbiquitousKey) as? Bool == !isExcluded)
        }
        try Data("saved anew".utf8).write(to: file, options: .atomic)
        #expect(try values(.ubiquitousItemIsExcludedFromSyncKey).ubiquitousItemIsExcludedFromSync == false)
    }

    @Test("a file outside of containers is not ubiquitous, and has no further values") func outside() throws {
        let directory = try TemporaryDirectory()
        let url = try directory.file("a.txt", "x")
        let values = try url.resourceValues(forKeys: [
            .isUbiquitousItemKey, .ubiquitousItemIsUploadedKey, .ubiquitousItemDownloadingStatusKey,
            .ubiquitousItemIsSharedKey, .ubiquitousItemIsExcludedFromSyncKey,
        ])
        #expect(values.isUbiquitousItem == false && values.ubiquitousItemIsUploaded == nil)
        #expect(values.ubiquitousItemDownloadingStatus == nil && values.ubiquitousItemIsShared == nil)
        #expect(values.ubiquitousItemIsExcludedFromSync == nil)
    }

    @Test("a metadata item has the attributes of its file") func attributes() throws {
        let item = try #require(NSMetadataItem(url: file))
        let keys = [
            NSMetadataItemFSNameKey, NSMetadataItemDisplayNameKey, NSMetadataItemPathKey, NSMetadataItemContentTypeKey,
        ]
        #expect(
            item.values(forAttributes: keys) as? [String: String]
                == Dictionary(uniqueKeysWithValues: zip(keys, ["note.txt", "note", file.path, "public.plain-text"])))
        #expect(item.value(forAttribute: NSMetadataItemURLKey) as? URL == file)
        #expect(item.value(forAttribute: NSMetadataUbiquitousItemURLInLocalContainerKey) as? URL == file)
        #expect(item.value(forAttribute: NSMetadataItemFSSizeKey) as? Int == 5)
        let modified = try FileManager.default.attributesOfItem(atPath: file.path)[.modificationDate] as? Date
        #expect(item.value(forAttribute: NSMetadataItemFSContentChangeDateKey) as? Date == modified)
        #expect(item.value(forAttribute: NSMetadataItemFSCreationDateKey) is Date)
        #expect(
            item.value(forAttribute: NSMetadataItemContentTypeTreeKey) as? [String]
                == ["public.plain-text", "public.text", "public.data", "public.content", "public.item"])
        #expect(item.value(forAttribute: NSMetadataUbiquitousItemIsExternalDocumentKey) as? Bool == false)
        #expect(item.value(forAttribute: "kMDItemNothing") == nil && !item.attributes.contains("kMDItemNothing"))
        #expect(Set(item.attributes).isSuperset(of: keys))
        #expect(NSMetadataItem(url: container.appendingPathComponent("none")) == nil)
    }
}
