/// The command line cannot be carried out as typed. The message names the option or argument and the remedy.
///
/// A command's `run` may throw it, too, for what only it can judge; the tool then ends with status 2.
public struct UsageError: Error, Sendable, Equatable {
    /// A sentence without a full stop, beginning in lower case.
    public let message: String

    /// An error that says `message`.
    public init(_ message: String) { self.message = message }
}
