/// Faults of the program: what raises an exception on Apple's systems. They end it with words, in a release build, too,
/// where a precondition ends it without.
///
/// Only initializers and setters that programs call come here. What servers, archives and files say is checked where it is
/// read, and refused with an error, before it becomes a value; only Apple's initializer of shares has no way to refuse.
enum ProgramFault {
    /// Ends the program unless something is so.
    static func check(
        _ isSo: Bool, _ message: @autoclosure () -> String, file: StaticString = #fileID, line: UInt = #line
    ) {
        if !isSo { stop(message(), file: file, line: line) }
    }

    /// Ends the program.
    static func stop(_ message: String, file: StaticString = #fileID, line: UInt = #line) -> Never {
        fatalError(message, file: file, line: line)
    }
}
