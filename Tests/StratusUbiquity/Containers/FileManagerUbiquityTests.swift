import Foundation
import StratusTestSupport
import Testing

@testable import StratusUbiquity

@Suite struct FileManagerUbiquityTests {
    private let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory() }

    @Test func aContainerHasADirectoryWithDocuments() throws {
        let url = try SignedIn.container("iCloud.org.example.one")
        var isDirectory: ObjCBool = false
        #expect(FileManager.default.fileExists(atPath: url.path + "/Documents", isDirectory: &isDirectory))
        #expect(isDirectory.boolValue)
        #expect(try FileManager.default.attributesOfItem(atPath: url.path)[.posixPermissions] as? Int == 0o700)
        #expect(try SignedIn.container("iCloud.org.example.one") == url)
        // Without a name it is the program's first one.
        #expect(
            FileManager.default.url(forUbiquityContainerIdentifier: nil)?.lastPathComponent
                == "iCloud.org.example.default")
    }

    @Test(arguments: ["../elsewhere", "", ".hidden", "a/b", String(repeating: "x", count: 256)])
    func identifiersThatAreNoNamesAreRefused(_ identifier: String) throws {
        _ = try SignedIn.container()
        #expect(FileManager.default.url(forUbiquityContainerIdentifier: identifier) == nil)
    }

    @Test func tokensOfOneAccountAreEqualAndOfAnotherNot() throws {
        _ = try SignedIn.container()
        let token = FileManager.default.ubiquityIdentityToken
        #expect(token?.isEqual(FileManager.default.ubiquityIdentityToken) == true)
        var variables = UbiquityEnvironment.variables
        variables["STRATUS_WEB_AUTH_TOKEN"] = "another"
        #expect(UbiquityAccount.current(variables)?.key != UbiquityAccount.current()?.key)
        variables["STRATUS_WEB_AUTH_TOKEN"] = nil
        #expect(UbiquityAccount.current(variables) == nil)
    }

    @Test func anItemMovesIntoTheContainerAndOutOfIt() async throws {
        let container = try SignedIn.container()
        let file = try directory.file("a.txt", "x")
        let target = container.appendingPathComponent("Documents/a.txt")
        #expect(!FileManager.default.isUbiquitousItem(at: file))
        try await onThread { try FileManager.default.setUbiquitous(true, itemAt: file, destinationURL: target) }
        #expect(FileManager.default.isUbiquitousItem(at: target))
        #expect(!FileManager.default.fileExists(atPath: file.path))
        let values = try target.resourceValues(forKeys: [
            .isUbiquitousItemKey, .ubiquitousItemIsUploadedKey, .ubiquitousItemDownloadingStatusKey,
        ])
        #expect(values.isUbiquitousItem == true)
        #expect(values.ubiquitousItemIsUploaded == false)
        #expect(values.ubiquitousItemDownloadingStatus == .current)
        try await onThread { try FileManager.default.setUbiquitous(false, itemAt: target, destinationURL: file) }
        #expect(try String(contentsOf: file, encoding: .utf8) == "x")
        #expect(try file.resourceValues(forKeys: [.isUbiquitousItemKey]).isUbiquitousItem == false)
    }

    @Test func aMoveThatIsNoneOrWouldReplaceSomethingIsRefused() async throws {
        let container = try SignedIn.container()
        let file = try directory.file("a.txt", "x")
        let (other, taken) = (try directory.file("b.txt"), container.appendingPathComponent("Documents/b.txt"))
        try Data("y".utf8).write(to: taken)
        await #expect(throws: CocoaError.self) {
            try await onThread { try FileManager.default.setUbiquitous(true, itemAt: file, destinationURL: other) }
        }
        await #expect(throws: CocoaError.self) {
            try await onThread { try FileManager.default.setUbiquitous(true, itemAt: file, destinationURL: taken) }
        }
        #expect(try String(contentsOf: file, encoding: .utf8) == "x")
        #expect(try String(contentsOf: taken, encoding: .utf8) == "y")
    }

    @Test func excludedItemsAreNotUbiquitous() throws {
        let file = try SignedIn.container().appendingPathComponent("Documents/a.txt")
        try Data().write(to: file)
        var state = UbiquityState()
        state.isExcluded = true
        try state.write(to: CoordinatedPath.canonical(file))
        #expect(!FileManager.default.isUbiquitousItem(at: file))
    }
}
