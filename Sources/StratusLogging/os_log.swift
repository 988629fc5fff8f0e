// The functions of C's style, by which older programs write their messages.

// swift-format-ignore: AlwaysUseLowerCamelCase
/// Writes a message.
public func os_log(_ message: OSLogMessage) { LogOutput.write(message.text, .default, .default) }

// swift-format-ignore: AlwaysUseLowerCamelCase
/// Writes a message of a kind, and of a part of the program.
public func os_log(_ logLevel: OSLogType, log: OSLog = .default, _ message: OSLogMessage) {
    LogOutput.write(message.text, logLevel, log)
}

// swift-format-ignore: AlwaysUseLowerCamelCase
/// Writes a message with C's conversions, such as `%{public}@` or `%d`, and their values.
public func os_log(
    _ message: StaticString, dso: UnsafeRawPointer? = nil, log: OSLog = .default, type: OSLogType = .default,
    _ args: any CVarArg...
) {
    LogOutput.write(CFormat(message.description).text(with: args), type, log)
}

// swift-format-ignore: AlwaysUseLowerCamelCase
/// Writes a message with C's conversions, such as `%{public}@` or `%d`, and their values.
public func os_log(
    _ type: OSLogType, dso: UnsafeRawPointer? = nil, log: OSLog = .default, _ message: StaticString,
    _ args: any CVarArg...
) {
    LogOutput.write(CFormat(message.description).text(with: args), type, log)
}
