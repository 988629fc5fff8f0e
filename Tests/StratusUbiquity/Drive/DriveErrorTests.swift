import Foundation
import Testing

@testable import StratusUbiquity

/// What a program learns from an agent that refuses.
@Suite struct DriveErrorTests {
    private let directory = URL(fileURLWithPath: "/home/ann/Container", isDirectory: true)

    @Test(arguments: [
        (DriveError.Code.unavailable, 4353), (.overQuota, 4354), (.serverNotAvailable, 4355), (.noSuchFile, 4),
        (.outOfSpace, 640), (.cancelled, 3072),
    ])
    func anAppIsGivenCocoasCodeAndTheItemsPathAndAddress(_ code: DriveError.Code, number: Int) {
        let error = DriveError(code, path: "Documents/a.txt", "The reason.").cocoaError(in: directory)
        #expect(error.domain == NSCocoaErrorDomain)
        #expect(error.code == number)
        #expect(error.localizedDescription == "The reason.")
        #expect(error.userInfo[NSFilePathErrorKey] as? String == "/home/ann/Container/Documents/a.txt")
        #expect((error.userInfo[NSURLErrorKey] as? URL)?.path == "/home/ann/Container/Documents/a.txt")
    }

    @Test func theEmptyPathIsTheContainerAndNoPathNamesNoItem() {
        let container = DriveError(.failed, path: "", "The reason.").cocoaError(in: directory)
        #expect(container.userInfo[NSFilePathErrorKey] as? String == "/home/ann/Container")
        let other = DriveError(.failed, "The reason.").cocoaError(in: directory)
        #expect(other.userInfo[NSFilePathErrorKey] == nil)
        #expect(other.userInfo[NSURLErrorKey] == nil)
    }
}
