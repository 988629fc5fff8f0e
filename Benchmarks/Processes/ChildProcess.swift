import Glibc

/// A process that this one started.
final class ChildProcess {
    let pid: pid_t
    /// When it was started, in nanoseconds of the monotonic clock.
    let started: UInt64
    private let output: Int32
    private var isEnded = false

    /// Starts a program, which is looked for on the PATH, in a process group of its own.
    /// - Parameters:
    ///   - log: The file that takes its standard error, and its standard output unless it is read.
    ///   - readsOutput: Whether ``readLine()`` and ``readAll()`` are to be used.
    init(
        _ arguments: [String], log: String, input: String = "/dev/null", readsOutput: Bool = false
    ) throws {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_addopen(&actions, 0, input, O_RDONLY, 0)
        posix_spawn_file_actions_addopen(&actions, 2, log, O_WRONLY | O_CREAT | O_APPEND, 0o644)
        var pipe: [Int32] = [-1, -1]
        if readsOutput {
            guard Glibc.pipe(&pipe) == 0 else { throw BenchmarkError("no pipe: errno \(errno)") }
            for end in pipe { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
            posix_spawn_file_actions_adddup2(&actions, pipe[1], 1)
        } else {
            posix_spawn_file_actions_adddup2(&actions, 2, 1)
        }
        output = pipe[0]

        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        var none = sigset_t()
        sigemptyset(&none)
        posix_spawnattr_setsigmask(&attributes, &none)
        posix_spawnattr_setpgroup(&attributes, 0)
        posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETPGROUP))

        var child: pid_t = 0
        var words: [UnsafeMutablePointer<CChar>?] = arguments.map { strdup($0) }
        defer { for word in words { free(word) } }
        words.append(nil)
        started = Clock.now()
        let status = posix_spawnp(&child, arguments[0], &actions, &attributes, words, environ)
        if pipe[1] >= 0 { close(pipe[1]) }
        pid = child
        guard status == 0 else { throw BenchmarkError("\(arguments[0]) does not start: errno \(status)") }
        Cleanup.add(process: pid)
    }

    deinit {
        end()
        if output >= 0 { close(output) }
    }

    /// Asks it to end and waits until it has.
    func end(_ signal: Int32 = SIGTERM) {
        guard !isEnded else { return }
        isEnded = true
        Cleanup.end(pid, signal)
    }

    /// Waits for it to end by itself.
    /// - Returns: Its exit status.
    func wait() -> Int32 {
        guard !isEnded else { return -1 }
        var status: Int32 = 0
        while waitpid(pid, &status, 0) < 0, errno == EINTR {}
        isEnded = true
        Cleanup.forget(pid)
        return (status & 0x7F) == 0 ? (status >> 8) & 0xFF : 128 + (status & 0x7F)
    }

    /// The next line of its standard output, nil at its end.
    func readLine() -> String? {
        var line: [UInt8] = []
        var byte: UInt8 = 0
        while read(output, &byte, 1) == 1 {
            if byte == UInt8(ascii: "\n") { return String(decoding: line, as: UTF8.self) }
            line.append(byte)
        }
        return line.isEmpty ? nil : String(decoding: line, as: UTF8.self)
    }

    /// All that is left of its standard output.
    func readAll() -> String {
        var text: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 65_536)
        while true {
            let count = read(output, &buffer, buffer.count)
            if count <= 0 { return String(decoding: text, as: UTF8.self) }
            text += buffer[..<count]
        }
    }
}
