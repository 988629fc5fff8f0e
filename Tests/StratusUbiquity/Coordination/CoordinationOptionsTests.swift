import Foundation
import StratusTestSupport
import Testing

@testable import StratusUbiquity

/// The options and forms of `NSFileCoordinator`, as programs and presenters see them.
@Suite struct CoordinationOptionsTests {
    private let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory() }

    /// What presenters of an item and of its folder are asked and told while somebody does something.
    private func messages(
        of url: URL, _ body: @escaping @Sendable () throws -> Void
    ) async throws -> (item: [String], folder: [String]) {
        let presenters = [url, url.deletingLastPathComponent()].map { RecordingPresenter($0) }
        for presenter in presenters { NSFileCoordinator.addFilePresenter(presenter) }
        defer { for presenter in presenters { NSFileCoordinator.removeFilePresenter(presenter) } }
        try await onThread(body)
        for presenter in presenters {
            await withCheckedContinuation { continuation in
                presenter.presentedItemOperationQueue.addOperation { continuation.resume() }
            }
            presenter.continuation.finish()
        }
        return (
            await presenters[0].messages.reduce(into: []) { $0.append($1) },
            await presenters[1].messages.reduce(into: []) { $0.append($1) }
        )
    }

    @Test("merging asks presenters to save first") func merging() async throws {
        let file = try directory.file("a.txt", "x")
        let heard = try await messages(of: file) {
            try NSFileCoordinator().write(file, .forMerging) { try Data("y".utf8).write(to: $0) }
        }
        #expect(heard.item == ["relinquish to writer", "save", "reacquire", "changed"])
        #expect(heard.folder == ["changed a.txt"])
    }

    @Test("deleting and replacing prepare presenters of the item and of its folder", arguments: [1, 8] as [UInt])
    func removing(options: UInt) async throws {
        let file = try directory.file("a.txt", "x")
        let heard = try await messages(of: file) {
            try NSFileCoordinator().write(file, .init(rawValue: options)) {
                try FileManager.default.removeItem(at: $0)
            }
        }
        #expect(heard.item.prefix(2) == ["relinquish to writer", "accommodate deletion"])
        #expect(heard.folder.first == "accommodate deletion of a.txt")
    }

    @Test("metadata that says nothing about contents is written without presenters") func metadata() async throws {
        let file = try directory.file("a.txt", "x")
        let heard = try await messages(of: file) {
            try NSFileCoordinator().write(file, .contentIndependentMetadataOnly) {
                try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: $0.path)
            }
        }
        #expect(heard.item.isEmpty && heard.folder.isEmpty)
    }

    @Test("presenters hear of the attributes that they observe, and of no others") func attributes() async throws {
        let file = try directory.file("a.txt", "x")
        let heard = try await messages(of: file) {
            let coordinator = NSFileCoordinator()
            coordinator.item(at: file, didChangeUbiquityAttributes: [.ubiquitousItemIsSharedKey])
            coordinator.item(
                at: file, didChangeUbiquityAttributes: [.ubiquitousItemIsUploadedKey, .ubiquitousItemIsSharedKey])
        }
        #expect(heard.item == ["attributes [\"\(URLResourceKey.ubiquitousItemIsUploadedKey.rawValue)\"]"])
    }

    @Test("the presenter of a folder hears where an item in it has moved") func move() async throws {
        let (file, target) = (try directory.file("a.txt", "x"), try directory.file("b.txt"))
        let heard = try await messages(of: file) {
            let coordinator = NSFileCoordinator()
            try coordinator.write(file, .forMoving) { url in
                try FileManager.default.moveItem(at: url, to: target)
                coordinator.item(at: url, didMoveTo: target)
            }
        }
        #expect(heard.folder.contains("moved a.txt to b.txt"))
    }

    @Test("a symbolic link is followed if the reader asks for it") func link() async throws {
        let (file, link) = (try directory.file("a.txt", "x"), try directory.file("link"))
        try FileManager.default.createSymbolicLink(at: link, withDestinationURL: file)
        let names = try await onThread {
            try [NSFileCoordinator.ReadingOptions.resolvesSymbolicLink, []].map { options in
                try NSFileCoordinator().read(link, options) { $0.lastPathComponent }
            }
        }
        #expect(names == ["a.txt", "link"])
    }

    @Test("coordinators of one purpose do not wait for each other") func purpose() async throws {
        let file = try directory.file("a.txt", "x")
        let text = try await onThread {
            let (outer, inner) = (NSFileCoordinator(), NSFileCoordinator())
            #expect(outer.purposeIdentifier != inner.purposeIdentifier)
            (outer.purposeIdentifier, inner.purposeIdentifier) = ("org.example.sync", "org.example.sync")
            return try outer.write(file) { url in
                try inner.write(url) { try Data("y".utf8).write(to: $0) }
                return try inner.read(url) { try String(contentsOf: $0, encoding: .utf8) }
            }
        }
        #expect(text == "y")
    }

    @Test("one item is read and another written, or two written, at once") func pairs() async throws {
        let (one, other) = (try directory.file("a.txt", "x"), try directory.file("b.txt", "y"))
        let texts = try await onThread {
            var (error, texts): (NSError?, [String?]) = (nil, [])
            func text(_ url: URL) -> String? { try? String(contentsOf: url, encoding: .utf8) }
            NSFileCoordinator().coordinate(readingItemAt: one, writingItemAt: other, error: &error) { from, to in
                try? Data((text(from) ?? "").utf8).write(to: to)
                texts.append(text(to))
            }
            NSFileCoordinator().coordinate(
                writingItemAt: one, options: .forReplacing, writingItemAt: other, error: &error
            ) { first, second in
                try? FileManager.default.removeItem(at: first)
                try? FileManager.default.moveItem(at: second, to: first)
                texts.append(text(first))
            }
            if let error { throw error }
            return texts
        }
        #expect(texts == ["x", "x"])
    }
}
