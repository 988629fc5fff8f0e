import Foundation
import Glibc
import StratusWorkers

/// A terminal that a test sits at.
public final class Terminal: Sendable {
    /// The end for the program's standard input and error.
    public let inside: FileHandle
    private let outside: Int32
    private let text = Lock("")
    private static let pool = WorkerPool(threads: 2)

    /// Opens one.
    public init() throws {
        outside = open("/dev/ptmx", O_RDWR | O_NOCTTY | O_CLOEXEC)
        // What unlockpt and ptsname do, which Swift's view of glibc leaves out: TIOCSPTLCK and TIOCGPTN.
        var (isLocked, number): (Int32, UInt32) = (0, 0)
        guard outside >= 0, ioctl(outside, 0x4004_5431, &isLocked) == 0, ioctl(outside, 0x8004_5430, &number) == 0
        else { throw Tool.Failure(description: "no terminal: \(String(cString: strerror(errno)))") }
        let name = "/dev/pts/\(number)"
        inside = FileHandle(fileDescriptor: open(name, O_RDWR | O_NOCTTY | O_CLOEXEC), closeOnDealloc: true)
    }

    deinit { close(outside) }

    /// All that was shown until now.
    public var shown: String { text.withLock { $0 } }

    /// Whether what is typed is shown.
    public var showsWhatIsTyped: Bool {
        var settings = termios()
        return tcgetattr(outside, &settings) == 0 && settings.c_lflag & tcflag_t(ECHO) != 0
    }

    /// Types.
    public func type(_ keys: String) {
        let bytes = Array(keys.utf8)
        _ = write(outside, bytes, bytes.count)
    }

    /// Reads what is shown until it ends so.
    public func wait(for end: String) async {
        try? await Self.pool.run { [self] in
            var buffer = [UInt8](repeating: 0, count: 1_024)
            while !shown.hasSuffix(end) {
                let count = read(outside, &buffer, buffer.count)
                guard count > 0 else { return }
                text.withLock { $0 += String(decoding: buffer[..<count], as: UTF8.self) }
            }
        }
    }
}
