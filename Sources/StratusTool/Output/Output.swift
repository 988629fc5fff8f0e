import FoundationEssentials
import Glibc
import StratusCloudWire
import StratusWorkers

/// Where commands write: results on standard output, everything else on standard error.
struct Output: Sendable {
    /// One JSON object on standard output, and JSON on standard error.
    var isJSON = false
    /// Whether progress is worth showing.
    var showsProgress: Bool { !isJSON }
    private let write: @Sendable (Int32, [UInt8]) -> Void

    /// Writes with `write`, which gets a file descriptor and bytes.
    init(write: @escaping @Sendable (Int32, [UInt8]) -> Void) { self.write = write }

    /// Writes to the process's own streams.
    static let standard = Output { descriptor, bytes in
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
            if count > 0 {
                rest = rest.dropFirst(count)
            } else if errno == EAGAIN {
                var room = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
                _ = poll(&room, 1, -1)
            } else if errno != EINTR {
                // Nobody reads any more; there is nobody to tell.
                return
            }
        }
    }

    /// A line of a result.
    func line(_ text: String) { write(STDOUT_FILENO, Array(text.utf8) + [UInt8(ascii: "\n")]) }

    /// Bytes of a result.
    func bytes(_ bytes: [UInt8]) { write(STDOUT_FILENO, bytes) }

    /// Something to know while a command runs.
    func note(_ text: String, terminator: String = "\n") {
        guard !isJSON else { return }
        write(STDERR_FILENO, Array((text + terminator).utf8))
    }

    /// Something that a script has to know while a command runs, as JSON on standard error.
    func event(_ name: String, _ value: String) {
        var writer = JSONWriter()
        writer.beginObject()
        writer.key(named: name)
        writer.string(value)
        writer.endObject()
        write(STDERR_FILENO, writer.bytes + [UInt8(ascii: "\n")])
    }

    /// The result of a command, as text or as one JSON object.
    func result(_ value: some Encodable, text: String) throws(ToolError) {
        guard isJSON else { return line(text) }
        do {
            let encoder = JSONEncoder()
            encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
            bytes(Array(try encoder.encode(value)) + [UInt8(ascii: "\n")])
        } catch {
            throw ToolError("the result cannot be written as JSON: \(error)")
        }
    }

    /// Why a command failed.
    func failure(_ error: ToolError) {
        failure(code: error.code, reason: error.message, text: "stratus: \(TerminalText.message(error.message))")
    }

    /// Why a command line was refused, in the words of its parser.
    func refusal(_ message: String) { failure(code: "USAGE", reason: message, text: message) }

    private func failure(code: String, reason: String, text: String) {
        guard isJSON else { return write(STDERR_FILENO, Array((text + "\n").utf8)) }
        var writer = JSONWriter()
        writer.beginObject()
        writer.key("error")
        writer.string(code)
        writer.key("reason")
        writer.string(reason)
        writer.endObject()
        write(STDERR_FILENO, writer.bytes + [UInt8(ascii: "\n")])
    }

    /// A row of an import that could not be saved.
    func rowFailure(line: Int, reason: String) {
        guard isJSON else {
            return write(STDERR_FILENO, Array("line \(line): \(reason)\n".utf8))
        }
        var writer = JSONWriter()
        writer.beginObject()
        writer.key("line")
        writer.integer(line)
        writer.key("reason")
        writer.string(reason)
        writer.endObject()
        write(STDERR_FILENO, writer.bytes + [UInt8(ascii: "\n")])
    }
}
