import Foundation

/// A file, a directory or a symbolic link in memory, as documents are made of.
///
/// A directory knows its children by keys, which are the names of their files when it is written. Contents are read at
/// once: a file that is mapped into memory stops the program when another one makes it shorter.
open class FileWrapper: NSObject, NSSecureCoding, @unchecked Sendable {
    // `@unchecked Sendable`: everything that changes is under one lock. Programs hand wrappers of their document from
    // the main actor to the queue that writes them.

    /// Options for reading a wrapper.
    public struct ReadingOptions: OptionSet, Sendable {
        /// The number that stands for the value.
        public let rawValue: UInt
        /// Takes the number.
        public init(rawValue: UInt) { self.rawValue = rawValue }
        /// Contents are read at once.
        public static let immediate = ReadingOptions(rawValue: 1)
        /// Contents are not mapped into memory.
        public static let withoutMapping = ReadingOptions(rawValue: 2)
    }

    /// Options for writing a wrapper.
    public struct WritingOptions: OptionSet, Sendable {
        /// The number that stands for the value.
        public let rawValue: UInt
        /// Takes the number.
        public init(rawValue: UInt) { self.rawValue = rawValue }
        /// The whole is written elsewhere and takes the place of the old one at the end.
        public static let atomic = WritingOptions(rawValue: 1)
        /// The wrappers remember where they were written, and take the names there.
        public static let withNameUpdating = WritingOptions(rawValue: 2)
    }

    enum Content {
        case file(Data)
        case directory([String: FileWrapper])
        case link(URL?)
    }

    struct State {
        var content: Content
        var filename: String?
        var preferredFilename: String?
        var attributes: [String: Any] = [:]
        /// The stamp of the file when it was last read or written.
        var stamp: FileStamp?
        /// The items that the last write has written, until they are noted.
        var written: [Written] = []
    }

    /// A wrapper as it was written.
    struct Written {
        /// nil for the one whose state this is in.
        let wrapper: FileWrapper?
        let filename: String
        let stamp: FileStamp?
    }

    private let lock = NSLock()
    private var unlocked: State

    /// Runs `body` with the state, alone. It must not ask a wrapper for anything.
    func withState<Result>(_ body: (inout State) throws -> Result) rethrows -> Result {
        lock.lock()
        defer { lock.unlock() }
        return try body(&unlocked)
    }

    init(_ state: State) { unlocked = state }

    /// Reads what is at a URL.
    public init(url: URL, options: ReadingOptions = []) throws {
        unlocked = State(content: .file(Data()))
        super.init()
        try read(from: url, options: options)
    }

    /// A directory. Children whose names are not set take their keys.
    public init(directoryWithFileWrappers childrenByPreferredName: [String: FileWrapper]) {
        for (key, child) in childrenByPreferredName where child.preferredFilename == nil {
            child.preferredFilename = key
        }
        unlocked = State(content: .directory(childrenByPreferredName))
    }

    /// A file.
    public init(regularFileWithContents contents: Data) { unlocked = State(content: .file(contents)) }

    /// A symbolic link.
    public init(symbolicLinkWithDestinationURL url: URL) { unlocked = State(content: .link(url)) }

    /// Reads the ``serializedRepresentation`` that this module makes. Apple's form is not public, and is not read.
    public init?(serializedRepresentation data: Data) {
        guard let state = FileWrapperSerialization.state(of: data) else { return nil }
        unlocked = state
    }

    /// Archives are read with the classes checked.
    public static var supportsSecureCoding: Bool { true }

    /// Reads a wrapper from an archive.
    public required init?(coder: NSCoder) {
        guard let data = coder.decodeObject(of: NSData.self, forKey: "serializedRepresentation"),
            let state = FileWrapperSerialization.state(of: Data(referencing: data))
        else { return nil }
        unlocked = state
    }

    /// Writes the wrapper to an archive.
    open func encode(with coder: NSCoder) {
        guard let data = serializedRepresentation else { return }
        coder.encode(data as NSData, forKey: "serializedRepresentation")
    }

    /// The name of the file, when it was read or written.
    open var filename: String? {
        get { withState { $0.filename } }
        set { withState { $0.filename = newValue } }
    }

    /// The name that the file is to have.
    open var preferredFilename: String? {
        get { withState { $0.preferredFilename } }
        set { withState { $0.preferredFilename = newValue } }
    }

    /// Attributes of the file, by the raw values of `FileAttributeKey`.
    open var fileAttributes: [String: Any] {
        get { withState { $0.attributes } }
        set { withState { $0.attributes = newValue } }
    }

    /// Whether this is a directory.
    open var isDirectory: Bool { withState { if case .directory = $0.content { true } else { false } } }

    /// Whether this is a file.
    open var isRegularFile: Bool { withState { if case .file = $0.content { true } else { false } } }

    /// Whether this is a symbolic link.
    open var isSymbolicLink: Bool { withState { if case .link = $0.content { true } else { false } } }

    /// The bytes of a file. Only for files.
    open var regularFileContents: Data? {
        withState { state in
            guard case .file(let data) = state.content else {
                preconditionFailure("regularFileContents of a file wrapper that is no file")
            }
            return data
        }
    }

    /// The destination of a symbolic link. Only for links.
    open var symbolicLinkDestinationURL: URL? {
        withState { state in
            guard case .link(let url) = state.content else {
                preconditionFailure("symbolicLinkDestinationURL of a file wrapper that is no link")
            }
            return url
        }
    }

    /// The children of a directory by their keys. Only for directories.
    open var fileWrappers: [String: FileWrapper]? {
        withState { state in
            guard case .directory(let children) = state.content else {
                preconditionFailure("fileWrappers of a file wrapper that is no directory")
            }
            return children
        }
    }

    /// The wrapper with everything in it as bytes, in a form of this module's own.
    open var serializedRepresentation: Data? { FileWrapperSerialization.data(of: self) }

    /// Writes the file, directory or link.
    /// - Parameter originalContentsURL: What was written before. Files that have not changed since are linked from
    /// there
    ///   instead of being written again.
    open func write(to url: URL, options: WritingOptions = [], originalContentsURL: URL?) throws {
        try writeItem(to: url, options, originalContentsURL: originalContentsURL)
    }
}
