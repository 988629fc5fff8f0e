/// Faults of the program: what raises an exception on Apple's systems. They end it with words, in a release build, too,
/// where a precondition ends it without.
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
