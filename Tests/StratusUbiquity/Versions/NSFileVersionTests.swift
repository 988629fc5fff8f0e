import Foundation
import StratusTestSupport
import Testing

@testable import StratusUbiquity

@Suite struct NSFileVersionTests {
    @Test func aConflictIsFoundUsedAndResolved() throws {
        let file = try SignedIn.container().appendingPathComponent("Documents/a.txt")
        let other = try SignedIn.container().appendingPathComponent("theirs.txt")
        try Data("mine".utf8).write(to: file)
        try Data("theirs".utf8).write(to: other)
        #expect(NSFileVersion.unresolvedConflictVersionsOfItem(at: file)?.isEmpty == true)
        try FileVersions.store.add(contentsOf: other, to: file, isConflict: true, savedOn: "phone")

        let version = try #require(NSFileVersion.unresolvedConflictVersionsOfItem(at: file)?.first)
        #expect(version.isConflict && !version.isResolved)
        #expect(version.localizedNameOfSavingComputer == "phone")
        #expect(try String(contentsOf: version.url, encoding: .utf8) == "theirs")
        #expect(
            try file.resourceValues(forKeys: [.ubiquitousItemHasUnresolvedConflictsKey])
                .ubiquitousItemHasUnresolvedConflicts == true)
        #expect(try version.replaceItem(at: file) == file)
        #expect(try String(contentsOf: file, encoding: .utf8) == "theirs")
        version.isResolved = true
        #expect(NSFileVersion.unresolvedConflictVersionsOfItem(at: file)?.isEmpty == true)
        #expect(NSFileVersion.otherVersionsOfItem(at: file)?.count == 1)
        let again = NSFileVersion.version(itemAt: file, forPersistentIdentifier: version.persistentIdentifier)
        #expect(again?.isResolved == true)
        try NSFileVersion.removeOtherVersionsOfItem(at: file)
        #expect(NSFileVersion.otherVersionsOfItem(at: file)?.isEmpty == true)
        #expect(NSFileVersion.version(itemAt: file, forPersistentIdentifier: version.persistentIdentifier) == nil)
    }

    /// A program that knows nothing of versions has moved the former item away.
    @Test func versionsOfAFormerItemStayWhenAnotherOneTakesItsPlace() throws {
        let file = try SignedIn.container().appendingPathComponent("Documents/a.txt")
        let other = file.deletingLastPathComponent().appendingPathComponent("b.txt")
        for (item, text) in [(file, "former"), (other, "own")] {
            try Data(text.utf8).write(to: item)
            _ = try NSFileVersion.addOfItem(at: item, withContentsOf: item)
        }
        try FileVersions.store.move(from: CoordinatedPath.canonical(other), to: CoordinatedPath.canonical(file))
        let versions = NSFileVersion.otherVersionsOfItem(at: file) ?? []
        let contents = try versions.map { try String(contentsOf: $0.url, encoding: .utf8) }
        #expect(Set(contents) == ["former", "own"])
        #expect(NSFileVersion.otherVersionsOfItem(at: other)?.isEmpty == true)
    }

    @Test func theCurrentVersionIsTheFile() throws {
        let file = try SignedIn.container().appendingPathComponent("Documents/a.txt")
        #expect(NSFileVersion.currentVersionOfItem(at: file) == nil)
        #expect(NSFileVersion.otherVersionsOfItem(at: file) == nil)
        try Data("x".utf8).write(to: file)
        let current = try #require(NSFileVersion.currentVersionOfItem(at: file))
        #expect(!current.isConflict && current.isResolved && current.hasLocalContents)
        #expect(current.modificationDate == UIDocument.modificationDate(of: file))
        #expect(throws: CocoaError.self) { try current.remove() }
    }

    @Test func addedVersionsFollowAFileThatIsRenamed() async throws {
        let file = try SignedIn.container().appendingPathComponent("Documents/a.txt")
        let renamed = file.deletingLastPathComponent().appendingPathComponent("b.txt")
        try Data("old".utf8).write(to: file)
        let version = try NSFileVersion.addOfItem(at: file, withContentsOf: file)
        #expect(!version.isConflict && version.isResolved)
        try Data("new".utf8).write(to: file)
        try await onThread {
            let coordinator = NSFileCoordinator()
            try coordinator.write(file, .forMoving) { url in
                try FileManager.default.moveItem(at: url, to: renamed)
                coordinator.item(at: url, didMoveTo: renamed)
            }
        }
        let others = try #require(NSFileVersion.otherVersionsOfItem(at: renamed))
        #expect(try others.map { try String(contentsOf: $0.url, encoding: .utf8) } == ["old"])
    }

    @Test("a version whose file was moved after it was asked for is resolved and removed where it is")
    func versionsOfAMovedFile() throws {
        let file = try SignedIn.container().appendingPathComponent("Documents/a.txt")
        let moved = file.deletingLastPathComponent().appendingPathComponent("d/b.txt")
        try Data("mine".utf8).write(to: file)
        try FileVersions.store.add(contentsOf: file, to: file, isConflict: true, savedOn: "phone")
        _ = try NSFileVersion.addOfItem(at: file, withContentsOf: file)
        let conflict = try #require(NSFileVersion.unresolvedConflictVersionsOfItem(at: file)?.first)
        let added = try #require(NSFileVersion.otherVersionsOfItem(at: file)?.first { !$0.isConflict })
        try FileManager.default.createDirectory(
            at: moved.deletingLastPathComponent(), withIntermediateDirectories: true)
        try FileManager.default.moveItem(at: file, to: moved)
        try FileVersions.store.move(from: CoordinatedPath.canonical(file), to: CoordinatedPath.canonical(moved))
        #expect(NSFileVersion.unresolvedConflictVersionsOfItem(at: moved)?.count == 1)

        conflict.isResolved = true
        #expect(NSFileVersion.unresolvedConflictVersionsOfItem(at: moved)?.isEmpty == true)
        #expect(NSFileVersion.otherVersionsOfItem(at: moved)?.count == 2)
        try added.remove()
        #expect(NSFileVersion.otherVersionsOfItem(at: moved)?.count == 1)
        try conflict.remove()
        try conflict.remove()
        #expect(NSFileVersion.otherVersionsOfItem(at: moved)?.isEmpty == true)
    }

    @Test("an item may have the name of the file that describes its versions")
    func versionsOfAnItemNamedLikeTheirDescription() throws {
        let file = try SignedIn.container().appendingPathComponent("Documents/.description.json")
        let other = file.deletingLastPathComponent().appendingPathComponent(".contents")
        try Data("mine".utf8).write(to: file)
        let version = try NSFileVersion.addOfItem(at: file, withContentsOf: file)
        #expect(try String(contentsOf: version.url, encoding: .utf8) == "mine")
        for (from, to) in [(file, other), (other, file)] {
            try FileManager.default.moveItem(at: from, to: to)
            try FileVersions.store.move(from: CoordinatedPath.canonical(from), to: CoordinatedPath.canonical(to))
            let version = try #require(NSFileVersion.otherVersionsOfItem(at: to)?.first)
            #expect(version.url.lastPathComponent == to.lastPathComponent)
            #expect(try String(contentsOf: version.url, encoding: .utf8) == "mine")
        }
        try NSFileVersion.removeOtherVersionsOfItem(at: file)
        #expect(NSFileVersion.otherVersionsOfItem(at: file)?.isEmpty == true)
    }

    @Test("a version that an earlier release wrote is found with its contents, and follows its file")
    func formerLayout() throws {
        let file = try SignedIn.container().appendingPathComponent("Documents/a.txt")
        let renamed = file.deletingLastPathComponent().appendingPathComponent("b.txt")
        try Data("mine".utf8).write(to: file)
        let version = try NSFileVersion.addOfItem(at: file, withContentsOf: file)
        // The contents were beside the description.
        let folder = version.url.deletingLastPathComponent()
        let former = folder.deletingLastPathComponent().appendingPathComponent("a.txt")
        try FileManager.default.moveItem(at: version.url, to: former)
        try FileManager.default.removeItem(at: folder)
        #expect(version.url.path == former.path)
        try FileManager.default.moveItem(at: file, to: renamed)
        try FileVersions.store.move(from: CoordinatedPath.canonical(file), to: CoordinatedPath.canonical(renamed))
        let found = try #require(NSFileVersion.otherVersionsOfItem(at: renamed)?.first)
        #expect(try String(contentsOf: found.url, encoding: .utf8) == "mine")
    }

    @Test("the contents of a version are found if the process that moved it ended before it had renamed them")
    func contentsWithTheFormerName() throws {
        let file = try SignedIn.container().appendingPathComponent("Documents/a.txt")
        let (moved, again) = (
            file.deletingLastPathComponent().appendingPathComponent("b.txt"),
            file.deletingLastPathComponent().appendingPathComponent("c.txt")
        )
        try Data("mine".utf8).write(to: file)
        _ = try NSFileVersion.addOfItem(at: file, withContentsOf: file)
        let store = FileVersions.store
        let (from, to) = (CoordinatedPath.canonical(file), CoordinatedPath.canonical(moved))
        try FileManager.default.moveItem(at: file, to: moved)
        try FileManager.default.moveItem(at: try store.tree(of: from), to: try store.tree(of: to))
        let version = try #require(NSFileVersion.otherVersionsOfItem(at: moved)?.first)
        #expect(version.hasLocalContents)
        #expect(try String(contentsOf: version.url, encoding: .utf8) == "mine")

        try FileManager.default.moveItem(at: moved, to: again)
        try store.move(from: to, to: CoordinatedPath.canonical(again))
        let found = try #require(NSFileVersion.otherVersionsOfItem(at: again)?.first)
        #expect(found.url.lastPathComponent == "c.txt")
        #expect(try String(contentsOf: found.url, encoding: .utf8) == "mine")
    }

    @Test func identifiersThatLeadElsewhereAreNone() throws {
        let file = try SignedIn.container().appendingPathComponent("Documents/a.txt")
        try Data().write(to: file)
        #expect(NSFileVersion.version(itemAt: file, forPersistentIdentifier: "../../..") == nil)
    }

    @Test func contentsAreMovedIntoAVersionAndOutOfIt() throws {
        let file = try SignedIn.container().appendingPathComponent("Documents/a.txt")
        try Data("now".utf8).write(to: file)
        let new = try NSFileVersion.temporaryDirectoryURLForNewVersionOfItem(at: file).appendingPathComponent("new.txt")
        try Data("before".utf8).write(to: new)
        let version = try NSFileVersion.addOfItem(at: file, withContentsOf: new, options: .byMoving)
        #expect(!FileManager.default.fileExists(atPath: new.path))
        #expect(try String(contentsOf: version.url, encoding: .utf8) == "before")
        try version.replaceItem(at: file, options: .byMoving)
        #expect(try String(contentsOf: file, encoding: .utf8) == "before")
        #expect(NSFileVersion.otherVersionsOfItem(at: file)?.isEmpty == true)
    }

    @Test func aVersionSaysWhatIsKnownOfIt() async throws {
        let file = try SignedIn.container().appendingPathComponent("Documents/a.txt")
        try Data("x".utf8).write(to: file)
        let version = try NSFileVersion.addOfItem(at: file, withContentsOf: file)
        #expect(version.localizedName == "a.txt" && version.modificationDate != nil)
        #expect(version.localizedNameOfSavingComputer == ProcessInfo.processInfo.hostName)
        #expect(version.originatorNameComponents == nil && version.hasLocalContents && !version.hasThumbnail)
        #expect(!version.isDiscardable)
        version.isDiscardable = true
        #expect(NSFileVersion.otherVersionsOfItem(at: file)?.first?.isDiscardable == true)
        let current = try #require(NSFileVersion.currentVersionOfItem(at: file))
        let again = NSFileVersion.version(itemAt: file, forPersistentIdentifier: current.persistentIdentifier)
        #expect(again?.url == current.url)
        let (nonlocal, error) = await withCheckedContinuation { continuation in
            NSFileVersion.getNonlocalVersionsOfItem(at: file) { versions, error in
                continuation.resume(returning: (versions?.count, error == nil))
            }
        }
        #expect(nonlocal == 0 && error)
        try version.remove()
        #expect(NSFileVersion.otherVersionsOfItem(at: file)?.isEmpty == true)
    }

    @Test func presentersHearOfVersions() async throws {
        let file = try SignedIn.container().appendingPathComponent("Documents/a.txt")
        try Data("mine".utf8).write(to: file)
        let presenters = [file, file.deletingLastPathComponent()].map { RecordingPresenter($0) }
        for presenter in presenters { NSFileCoordinator.addFilePresenter(presenter) }
        defer { for presenter in presenters { NSFileCoordinator.removeFilePresenter(presenter) } }
        try FileVersions.store.add(contentsOf: file, to: file, isConflict: true, savedOn: "phone")
        let version = try #require(NSFileVersion.unresolvedConflictVersionsOfItem(at: file)?.first)
        version.isResolved = true
        try version.remove()
        var item = presenters[0].messages.makeAsyncIterator()
        var folder = presenters[1].messages.makeAsyncIterator()
        for word in ["gained", "resolved", "lost"] {
            #expect(await item.next() == "\(word) version")
            #expect(await folder.next() == "\(word) version of a.txt")
        }
    }
}
