import Foundation
import StratusTestSupport
import StratusWaiting
import StratusWorkers
import Testing

@testable import StratusUbiquity

@Suite struct NSMetadataQueryTests {
    /// A query over the items of one test, whose names begin alike.
    private func query(
        _ prefix: String, _ scope: String = NSMetadataQueryUbiquitousDocumentsScope
    ) -> NSMetadataQuery {
        let query = NSMetadataQuery()
        query.predicate = NSPredicate(format: "%K BEGINSWITH %@", NSMetadataItemFSNameKey, prefix)
        query.searchScopes = [scope]
        query.operationQueue = OperationQueue()
        query.notificationBatchingInterval = 0
        query.sortDescriptors = [NSSortDescriptor(key: NSMetadataItemFSNameKey, ascending: false)]
        return query
    }

    private func names(_ query: NSMetadataQuery) -> [String] {
        query.results.compactMap { ($0 as? NSMetadataItem)?.value(forAttribute: NSMetadataItemFSNameKey) as? String }
    }

    @Test func aQueryFindsWhatIsThereAndWhatComes() async throws {
        let documents = try SignedIn.container().appendingPathComponent("Documents")
        let prefix = UUID().uuidString
        try Data("12345".utf8).write(to: documents.appendingPathComponent(prefix + "-a.txt"))
        let query = query(prefix)
        #expect(query.start())
        #expect(!query.start())
        try await wait(for: "the first results") { !query.isGathering }
        #expect(names(query) == [prefix + "-a.txt"])
        let item = try #require(query.result(at: 0) as? NSMetadataItem)
        #expect(query.index(ofResult: item) == 0)
        #expect(item.value(forAttribute: NSMetadataItemFSSizeKey) as? Int == 5)
        #expect(item.value(forAttribute: NSMetadataItemIsUbiquitousKey) as? Bool == true)
        #expect(item.value(forAttribute: NSMetadataUbiquitousItemIsUploadedKey) as? Bool == false)

        let folder = documents.appendingPathComponent(prefix + "-folder")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
        try Data().write(to: folder.appendingPathComponent(prefix + "-b.txt"))
        try await wait(for: "a file in a new folder") {
            names(query) == ["-folder", "-b.txt", "-a.txt"].map { prefix + $0 }
        }
        try FileManager.default.removeItem(at: folder)
        try await wait(for: "the removal") { names(query) == [prefix + "-a.txt"] }
        query.stop()
        #expect(query.isStopped && !query.isStarted)
    }

    @Test func observersOnTheMainQueueHearOfQueriesOnTheMainQueue() async throws {
        let query = query(UUID().uuidString)
        query.operationQueue = nil
        let (finished, continuation) = AsyncStream<Void>.makeStream()
        let observer = NotificationCenter.default.addObserver(
            forName: .NSMetadataQueryDidFinishGathering, object: query, queue: .main
        ) { _ in continuation.yield() }
        defer { NotificationCenter.default.removeObserver(observer) }
        query.start()
        var iterator = finished.makeAsyncIterator()
        await iterator.next()
        #expect(!query.isGathering)
        query.stop()
    }

    @Test func updatesNameWhatChanged() async throws {
        let documents = try SignedIn.container().appendingPathComponent("Documents")
        let prefix = UUID().uuidString
        let file = documents.appendingPathComponent(prefix + ".txt")
        let query = query(prefix)
        let (updates, continuation) = AsyncStream<[String: Int]>.makeStream()
        let observer = NotificationCenter.default.addObserver(
            forName: .NSMetadataQueryDidUpdate, object: query, queue: nil
        ) {
            let counts = ($0.userInfo ?? [:]).compactMap { key, value in
                (value as? [Any]).flatMap { items in (key as? String).map { ($0, items.count) } }
            }
            continuation.yield(Dictionary(counts) { $1 })
        }
        defer { NotificationCenter.default.removeObserver(observer) }
        query.start()
        try await wait(for: "the first results") { !query.isGathering }
        try Data("1".utf8).write(to: file, options: .atomic)
        var iterator = updates.makeAsyncIterator()
        #expect(await iterator.next()?[NSMetadataQueryUpdateAddedItemsKey] == 1)
        var state = UbiquityState()
        state.isUploaded = true
        try state.write(to: CoordinatedPath.canonical(file))
        #expect(await iterator.next()?[NSMetadataQueryUpdateChangedItemsKey] == 1)
        let item = query.result(at: 0) as? NSMetadataItem
        #expect(item?.value(forAttribute: NSMetadataUbiquitousItemIsUploadedKey) as? Bool == true)
        query.stop()
    }

    @Test func placeholdersAreShownAsTheirItems() async throws {
        let documents = try SignedIn.container().appendingPathComponent("Documents")
        let prefix = UUID().uuidString
        try Data().write(to: documents.appendingPathComponent(".\(prefix).txt.icloud"))
        let query = query(prefix)
        query.start()
        try await wait(for: "the first results") { !query.isGathering }
        #expect(names(query) == [prefix + ".txt"])
        let item = query.result(at: 0) as? NSMetadataItem
        #expect(
            item?.value(forAttribute: NSMetadataUbiquitousItemDownloadingStatusKey) as? String
                == NSMetadataUbiquitousItemDownloadingStatusNotDownloaded)
        query.stop()
    }

    @Test func theDataScopeLeavesDocumentsOut() async throws {
        let container = try SignedIn.container()
        let prefix = UUID().uuidString
        try Data().write(to: container.appendingPathComponent("Documents/\(prefix)-1.txt"))
        try Data().write(to: container.appendingPathComponent("\(prefix)-2.dat"))
        let query = query(prefix, NSMetadataQueryUbiquitousDataScope)
        query.valueListAttributes = [NSMetadataItemContentTypeKey]
        query.groupingAttributes = [NSMetadataItemContentTypeKey]
        query.start()
        try await wait(for: "the first results") { !query.isGathering }
        #expect(names(query) == [prefix + "-2.dat"])
        #expect(query.valueLists[NSMetadataItemContentTypeKey]?.map(\.count) == [1])
        #expect(query.groupedResults.map { $0.value as? String } == ["public.data"])
        query.stop()
    }

    @Test func resultsStayWhileUpdatesAreDisabled() async throws {
        let documents = try SignedIn.container().appendingPathComponent("Documents")
        let prefix = UUID().uuidString
        let query = query(prefix)
        query.start()
        try await wait(for: "the first results") { !query.isGathering }
        query.disableUpdates()
        try Data().write(to: documents.appendingPathComponent(prefix + ".txt"))
        query.worker.sync {}
        #expect(query.resultCount == 0)
        query.enableUpdates()
        try await wait(for: "the update") { query.resultCount == 1 }
        query.stop()
    }

    @Test func nothingStartsWithoutPredicateOrWithOtherScopes() {
        let query = NSMetadataQuery()
        query.searchScopes = [NSMetadataQueryUbiquitousDocumentsScope]
        #expect(!query.start())
        query.predicate = NSPredicate(value: true)
        query.searchScopes = ["kMDQueryScopeLocal"]
        #expect(!query.start())
        query.searchScopes = []
        #expect(!query.start())
    }

    @Test func notificationsComeInTheirOrder() async throws {
        let documents = try SignedIn.container().appendingPathComponent("Documents")
        let prefix = UUID().uuidString
        try Data().write(to: documents.appendingPathComponent(prefix + ".txt"))
        let query = query(prefix)
        // One at a time, so that the notifications are seen in the order in which they are posted.
        query.operationQueue?.maxConcurrentOperationCount = 1
        let (posted, continuation) = AsyncStream<Notification.Name>.makeStream()
        let names: [Notification.Name] = [
            .NSMetadataQueryDidStartGathering, .NSMetadataQueryGatheringProgress, .NSMetadataQueryDidFinishGathering,
        ]
        let observers = names.map { name in
            NotificationCenter.default.addObserver(forName: name, object: query, queue: nil) { _ in
                continuation.yield(name)
            }
        }
        defer { for observer in observers { NotificationCenter.default.removeObserver(observer) } }
        #expect(query.start())
        var iterator = posted.makeAsyncIterator()
        for name in names { #expect(await iterator.next() == name) }
        query.stop()
    }

    @Test func resultsAreEnumeratedAndGrouped() async throws {
        let documents = try SignedIn.container().appendingPathComponent("Documents")
        let prefix = UUID().uuidString
        for name in ["-1.txt", "-2.pdf", "-3.txt"] {
            try Data(name.utf8).write(to: documents.appendingPathComponent(prefix + name))
        }
        try Data().write(to: documents.appendingPathComponent(prefix + "-4.txt"))
        let query = query(prefix)
        query.searchScopes.append(NSMetadataQueryAccessibleUbiquitousExternalDocumentsScope)
        query.groupingAttributes = [NSMetadataItemContentTypeKey, NSMetadataItemFSSizeKey]
        #expect(query.start())
        try await wait(for: "the first results") { !query.isGathering }
        #expect(names(query) == ["-4.txt", "-3.txt", "-2.pdf", "-1.txt"].map { prefix + $0 })
        var seen: [Int] = []
        query.enumerateResults(options: .reverse) { _, index, stop in
            seen.append(index)
            stop.pointee = ObjCBool(index == 2)
        }
        query.enumerateResults { item, index, _ in
            if query.index(ofResult: item) == index { seen.append(index) }
        }
        #expect(seen == [3, 2, 0, 1, 2, 3])
        #expect(query.index(ofResult: NSObject()) == NSNotFound)
        #expect(query.value(ofAttribute: NSMetadataItemFSNameKey, forResultAt: 2) as? String == prefix + "-2.pdf")
        let groups = query.groupedResults
        #expect(groups.map { $0.value as? String } == ["public.plain-text", "com.adobe.pdf"])
        #expect(groups.map(\.resultCount) == [3, 1])
        #expect(groups[0].subgroups?.map { $0.value as? Int } == [0, 6])
        #expect(groups[0].subgroups?.map(\.resultCount) == [1, 2])
        #expect(groups[0].result(at: 0) as AnyObject === query.result(at: 0) as AnyObject)
        query.stop()
    }

    @Test func disablingUpdatesNests() async throws {
        let documents = try SignedIn.container().appendingPathComponent("Documents")
        let prefix = UUID().uuidString
        let query = query(prefix)
        query.start()
        try await wait(for: "the first results") { !query.isGathering }
        for _ in 0..<2 { query.disableUpdates() }
        try Data().write(to: documents.appendingPathComponent(prefix + ".txt"))
        query.enableUpdates()
        query.worker.sync {}
        #expect(query.resultCount == 0)
        query.enableUpdates()
        try await wait(for: "the update") { query.resultCount == 1 }
        query.stop()
    }
}
