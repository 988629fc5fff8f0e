import Foundation
import StratusDeviceCredentials
import StratusWorkers

extension FileManager {
    /// The directory of a container on this machine, which is made if need be; nil if nobody is signed in. Blocks.
    ///
    /// While no other process synchronizes the container, this one does from then on, in the background.
    /// - Parameter containerIdentifier: nil for the program's first container.
    public func url(forUbiquityContainerIdentifier containerIdentifier: String?) -> URL? {
        guard let account = UbiquityAccount.current(),
            let identifier = containerIdentifier ?? account.containers.first,
            let container = UbiquityContainer(identifier, of: account)
        else { return nil }
        do { try container.create() } catch { return nil }
        UbiquityIdentity.shared.watch()
        DriveHost.shared.need(container)
        return container.url
    }

    /// A token of the account that is signed in; nil if none is. Tokens of one account are equal.
    public var ubiquityIdentityToken: (any NSCoding & NSCopying & NSObjectProtocol)? {
        UbiquityIdentity.shared.watch()
        return UbiquityAccount.current().map { $0.key as NSString }
    }

    /// Whether an item is in a container: also before it was uploaded.
    public func isUbiquitousItem(at url: URL) -> Bool {
        let path = CoordinatedPath.canonical(url)
        return UbiquityContainer.containing(path)?.has(path) == true && UbiquityState.isIncluded(path)
    }

    /// Moves an item into a container, or out of it. Coordinates the move, so it must not be called by an accessor.
    /// Blocks.
    public func setUbiquitous(_ flag: Bool, itemAt url: URL, destinationURL: URL) throws {
        let inside = flag ? destinationURL : url
        let other = flag ? url : destinationURL
        func isInContainer(_ url: URL) -> Bool {
            let path = CoordinatedPath.canonical(url)
            return UbiquityContainer.containing(path)?.has(path) == true
        }
        guard isInContainer(inside), !isInContainer(other) else {
            throw CocoaError(.fileWriteInvalidFileName, userInfo: [NSFilePathErrorKey: destinationURL.path])
        }
        let coordinator = NSFileCoordinator(filePresenter: nil)
        var failure: NSError?
        var result: Result<Void, any Error>?
        coordinator.coordinate(
            writingItemAt: url, options: .forMoving, writingItemAt: destinationURL, options: [], error: &failure
        ) { from, to in
            result = Result {
                guard !fileExists(atPath: to.path) else {
                    throw CocoaError(.fileWriteFileExists, userInfo: [NSFilePathErrorKey: to.path])
                }
                coordinator.item(at: from, willMoveTo: to)
                try moveItem(at: from, to: to)
                coordinator.item(at: from, didMoveTo: to)
            }
        }
        guard let result else { throw failure ?? CocoaError(.fileWriteUnknown) as NSError }
        try result.get()
    }
}

extension Notification.Name {
    // swift-format-ignore: AlwaysUseLowerCamelCase
    /// Another account is signed in, or the account signed out.
    public static let NSUbiquityIdentityDidChange = Notification.Name("NSUbiquityIdentityDidChangeNotification")
}

/// Notices when another account is signed in, and posts `NSUbiquityIdentityDidChange`.
final class UbiquityIdentity: Sendable {
    private struct State {
        var watch: FileWatch?
        var account: UbiquityAccount?
    }

    /// The one of this process.
    static let shared = UbiquityIdentity { UbiquityEnvironment.variables }

    private let variables: @Sendable () -> [String: String]
    private let state = Lock(State())

    /// - Parameter variables: The environment's variables.
    init(_ variables: @escaping @Sendable () -> [String: String]) { self.variables = variables }

    /// Begins to watch the credentials, the first time.
    func watch() {
        state.withLock { state in
            guard state.watch == nil, let path = CredentialsFile(environment: variables())?.path else { return }
            state.account = UbiquityAccount.current(variables())
            state.watch = FileWatch(path) { [weak self] in self?.check() }
        }
    }

    private func check() {
        let now = UbiquityAccount.current(variables())
        let isOther = state.withLock { state in
            defer { state.account = now }
            return state.account?.identity != now?.identity
        }
        guard isOther else { return }
        DriveHost.shared.accountChanged(to: now)
        NotificationCenter.default.postOnMainQueue(.NSUbiquityIdentityDidChange, object: nil)
    }
}
