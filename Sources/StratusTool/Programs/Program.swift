import FoundationEssentials
import Glibc

/// Other programs that the tool runs to their end. All calls block.
enum Program {
    /// How a run ended.
    struct Outcome {
        /// The exit status; 128 and more for the signal that ended the program, as in shells.
        let status: Int32
        /// The output that was read.
        let output: [UInt8]
    }

    /// The streams of a program that are read. The others are the tool's own.
    enum Streams {
        case nothing, output, outputAndErrors
    }

    /// Why a program did not start.
    struct StartError: Error {
        let message: String
        /// Whether there is no such program.
        let isMissing: Bool

        init(_ code: Int32) {
            message = String(cString: strerror(code))
            isMissing = code == ENOENT
        }
    }

    /// Runs a program that is found in `PATH`. Its standard input is empty.
    static func run(
        _ name: String, _ arguments: [String], environment: [String: String], reads: Streams
    ) throws(StartError) -> Outcome {
        var ends: [Int32] = [-1, -1]
        guard pipe(&ends) == 0 else { throw StartError(errno) }
        // The program must not have the ends that are the tool's: the pipe would never be at its end.
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        defer { close(ends[0]) }
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0)
        if reads != .nothing { posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO) }
        if reads == .outputAndErrors { posix_spawn_file_actions_adddup2(&actions, ends[1], STDERR_FILENO) }
        let words = strings([name] + arguments)
        let variables = strings(environment.map { "\($0.key)=\($0.value)" })
        defer { for text in words + variables { free(text) } }
        var process = pid_t()
        let failure = posix_spawnp(&process, name, &actions, nil, words, variables)
        close(ends[1])
        guard failure == 0 else { throw StartError(failure) }
        let output = reads == .nothing ? [] : readAll(ends[0])
        return Outcome(status: wait(for: process), output: output)
    }

    private static func strings(_ texts: [String]) -> [UnsafeMutablePointer<CChar>?] {
        texts.map { strdup($0) } + [nil]
    }

    private static func readAll(_ descriptor: Int32) -> [UInt8] {
        var bytes: [UInt8] = []
        var piece = [UInt8](repeating: 0, count: 65_536)
        while true {
            let count = read(descriptor, &piece, piece.count)
            if count > 0 { bytes += piece.prefix(count) } else if count == 0 || errno != EINTR { return bytes }
        }
    }

    private static func wait(for process: pid_t) -> Int32 {
        var status: Int32 = 0
        while waitpid(process, &status, 0) < 0 { guard errno == EINTR else { return -1 } }
        // The low seven bits are the signal that ended it.
        let signal = status & 0x7F
        return signal == 0 ? status >> 8 & 0xFF : 128 + signal
    }
}
