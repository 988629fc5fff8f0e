import FoundationEssentials
import Glibc

/// The user's web browser.
enum Browser {
    /// Shows an address in it, if there is one: what `$BROWSER` names, else what the desktop opens. Does not wait.
    static func open(_ address: String) {
        let environment = ProcessInfo.processInfo.environment
        let program: String
        if let named = environment["BROWSER"]?.split(separator: ":").first {
            program = String(named)
        } else if environment["DISPLAY"] != nil || environment["WAYLAND_DISPLAY"] != nil {
            program = "xdg-open"
        } else {
            return
        }
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        // It must neither read the terminal nor write between this program's lines.
        posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0)
        posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0)
        posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0)
        var arguments: [UnsafeMutablePointer<CChar>?] = [strdup(program), strdup(address), nil]
        defer { for argument in arguments { free(argument) } }
        var process = pid_t()
        // The address was shown, so a browser that does not start is no failure.
        _ = posix_spawnp(&process, program, &actions, nil, &arguments, environ)
    }
}
