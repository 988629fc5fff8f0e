/// A write lock on a resource.
public struct WebDAVLock: Hashable, Sendable {
    /// The URI that names the lock.
    public let token: String
    /// The keys of the names on the way to the resource.
    public let path: [String]
    /// The path of the resource's address, as the client that locked it wrote it.
    public let root: String
    /// Whether others may hold shared locks of the resource, too.
    public let isShared: Bool
    /// Whether it also locks everything in the folder.
    public let isDeep: Bool
    /// What the client said of its owner, as XML.
    public let owner: String
    /// Milliseconds since 1970-01-01 UTC.
    public var expires: Int64

    /// Makes a lock.
    public init(
        token: String, path: [String], root: String, isShared: Bool, isDeep: Bool, owner: String, expires: Int64
    ) {
        self.token = token
        self.path = path
        self.root = root
        self.isShared = isShared
        self.isDeep = isDeep
        self.owner = owner
        self.expires = expires
    }

    /// Whether it locks the resource at a path.
    public func covers(_ path: some Collection<String>) -> Bool {
        isDeep ? path.starts(with: self.path) : self.path.elementsEqual(path)
    }

    /// Whether it locks a resource at or below a path.
    func isWithin(_ path: [String]) -> Bool { self.path.starts(with: path) }
}
