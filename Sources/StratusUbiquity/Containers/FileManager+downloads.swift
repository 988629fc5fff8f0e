import Foundation
import StratusCloudKit

extension FileManager {
    /// Begins to download an item that is not on this machine, or everything in a folder. Returns at once; a metadata
    /// query and the item's resource values show how far it is. Blocks only for the agent of the container.
    public func startDownloadingUbiquitousItem(at url: URL) throws {
        let item = try UbiquitousItem(url)
        try item.ask(.startDownload(path: item.path))
    }

    /// Removes the copy of an item on this machine, which stays in the container as a placeholder. Blocks.
    /// - Throws: `CocoaError.ubiquitousFileUnavailable` if the item is not uploaded yet.
    public func evictUbiquitousItem(at url: URL) throws {
        let item = try UbiquitousItem(url)
        try item.ask(.evict(path: item.path))
    }

    /// Makes a link with which everybody can download the item as it is now, until the link expires. Blocks.
    /// - Parameter outDate: Gets the date on which the link expires.
    /// - Throws: `CocoaError.ubiquitousFileUnavailable` if the item is not uploaded yet.
    public func url(
        forPublishingUbiquitousItemAt url: URL, expiration outDate: UnsafeMutablePointer<NSDate?>?
    ) throws -> URL {
        let item = try UbiquitousItem(url)
        let publication = try item.publish(on: CKContainer(identifier: item.container.identifier))
        guard let link = publication.url else {
            throw DriveError(.failed, "the server gave no link").cocoaError(at: url)
        }
        outDate?.pointee = publication.expires as NSDate
        return link
    }
}

/// An item in a container as a program names it, or by its placeholder.
struct UbiquitousItem: Sendable {
    let url: URL
    let container: UbiquityContainer
    /// The path in the container.
    let path: String

    /// - Throws: `CocoaError.fileNoSuchFile` for what is in no container, or does not exist.
    init(_ url: URL) throws {
        let named = CoordinatedPath.canonical(url)
        let item = UbiquityState.item(ofPlaceholder: named) ?? named
        guard let container = UbiquityContainer.containing(item), container.has(item),
            Self.exists(item) || Self.exists(UbiquityState.placeholder(of: item))
        else { throw DriveError(.noSuchFile, "there is no such item in a container").cocoaError(at: url) }
        self.url = url
        self.container = container
        path = container.relative(item)
    }

    private static func exists(_ path: String) -> Bool {
        (try? FileManager.default.attributesOfItem(atPath: path)) != nil
    }

    /// Asks the container's agent. Blocks.
    @discardableResult
    func ask(_ request: DriveRequest) throws -> DriveAnswer {
        do { return try DriveHost.shared.answer(to: request, of: container).get() } catch {
            throw error.cocoaError(at: url)
        }
    }

    /// Publishes the content that the server has of the item. Blocks.
    func publish(on cloud: CKContainer) throws -> FilePublication {
        guard case .record(let record) = try ask(.record(path: path)) else {
            throw DriveError(.failed, "the agent did not name the item's record").cocoaError(at: url)
        }
        let result = BlockingResult<FilePublication>()
        Task { await result.finish { try await cloud.publishFile(record.recordName) } }
        do { return try result.wait() } catch { throw DriveError(error).cocoaError(at: url) }
    }
}

/// The result of a task that a thread waits for.
///
/// `@unchecked Sendable`: the result is written before the semaphore is signalled, and read after it.
private final class BlockingResult<Value: Sendable>: @unchecked Sendable {
    private let semaphore = DispatchSemaphore(value: 0)
    private var result: Result<Value, any Error>?

    func finish(_ body: () async throws -> Value) async {
        do { result = .success(try await body()) } catch { result = .failure(error) }
        semaphore.signal()
    }

    func wait() throws -> Value {
        semaphore.wait()
        guard let result else { throw DriveError(.cancelled, "the request was cancelled") }
        return try result.get()
    }
}
