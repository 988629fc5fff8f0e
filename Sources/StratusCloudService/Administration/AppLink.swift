import StratusCloudModel
import StratusCloudStore

/// How somebody who came into a share goes on to the app of a container.
public struct AppLink: Hashable, Sendable {
    /// What stands in a template for the share's link.
    public static let placeholder = "{url}"

    /// An address of the app, in which ``placeholder`` stands for the percent-encoded link; nil without.
    public var url: String?
    /// A command line of the app for a terminal, in which ``placeholder`` stands for the link; nil without.
    public var command: String?

    /// Says how.
    public init(url: String? = nil, command: String? = nil) {
        self.url = url
        self.command = command
    }

    /// - Throws: `badRequest` for an address that no browser should be sent to, or a command that is no line.
    func check() throws(CloudError) {
        if let url {
            let example = url.split(separator: Self.placeholder, omittingEmptySubsequences: false).joined(
                separator: "x")
            do throws(CloudError) {
                try SignInCallback.check(example)
            } catch {
                throw CloudError(
                    .badRequest, "the app's address must be absolute, such as https://app.example/open?share={url}")
            }
        }
        guard let command else { return }
        guard (1...ServiceLimits.appCommandLength).contains(command.utf8.count),
            command.unicodeScalars.allSatisfy({ $0.value >= 0x20 && $0.value != 0x7F })
        else {
            throw CloudError(
                .badRequest, "the app's command must be one line of 1 to \(ServiceLimits.appCommandLength) bytes")
        }
    }
}

extension AppLink: StoredValue {
    static let format: UInt8 = 1

    init(from reader: inout ByteReader) throws {
        url = try reader.optional { try $0.string() }
        command = try reader.optional { try $0.string() }
    }

    func write(to writer: inout ByteWriter) {
        for text in [url, command] { writer.write(optional: text) { $0.write($1) } }
    }
}

extension CloudService {
    /// How somebody who came into a share goes on to a container's app.
    /// - Throws: `notFound` if there is no such container.
    public func appLink(of container: ContainerIdentifier) async throws(CloudError) -> AppLink {
        try await reading(.directory) { transaction in
            try Self.checkContainer(container, in: transaction)
            return try transaction.value(at: DirectoryKey.key(.appLink, container.rawValue)) ?? AppLink()
        }
    }

    /// Says how somebody who came into a share goes on to a container's app.
    /// - Throws: `notFound` if there is no such container, `badRequest` for an address or command that cannot be.
    public func setAppLink(_ link: AppLink, of container: ContainerIdentifier) async throws(CloudError) {
        try link.check()
        try await writing(.directory) { transaction in
            try Self.checkContainer(container, in: transaction)
            transaction.set(DirectoryKey.key(.appLink, container.rawValue), link)
        }
    }
}
