/// Why a database cannot do what it was asked for.
public struct SQLiteError: Error, Hashable, Sendable, CustomStringConvertible {
    /// Advice for the program.
    public enum Code: Hashable, Sendable {
        /// The disk or the file system has no room.
        case diskFull
        /// The file is damaged, or is no database.
        case corrupted
        /// Another connection holds the database for longer than was waited.
        case busy
        /// The file must not be written.
        case readOnly
        /// A rule of the schema refuses the values.
        case constraint
        /// The statement is wrong, or was given the wrong values.
        case misuse
        /// The system cannot open, read or write the file.
        case inputOutput
    }

    /// Advice for the program.
    public let code: Code
    /// SQLite's own status, extended.
    public let status: Int32
    /// What happened, and during what.
    public let description: String

    /// Makes an error.
    public init(_ code: Code, status: Int32 = 0, _ description: String) {
        self.code = code
        self.status = status
        self.description = description
    }
}
