import FoundationEssentials

/// The systemd unit with which `stratus drive run` runs for a user.
struct DriveUnit {
    /// Bytes of a unit's name, as systemd has it.
    static let nameLength = 255

    /// Variables that say where the person's sign-in and data are. Tokens are not among them, as units are no place for
    /// secrets.
    private static let variables = [
        "STRATUS_CA_FILE", "STRATUS_CONFIG", "STRATUS_ENVIRONMENT", "STRATUS_PROFILE", "STRATUS_URL", "XDG_CACHE_HOME",
        "XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_STATE_HOME",
    ]

    /// The container to synchronize.
    let container: String
    /// The path of the tool.
    let executable: String
    /// Further options of `stratus drive run`.
    let options: [String]
    /// The variables of the process that installs the unit.
    let environment: [String: String]

    private var profile: String? { environment["STRATUS_PROFILE"].flatMap { $0.isEmpty ? nil : $0 } }

    /// The name of the unit. Profiles other than the first one have units of their own. Names have no colon but the one
    /// before the profile.
    var name: String {
        let suffix = profile.map { ":" + Self.escaped(name: $0) } ?? ""
        return "stratus-drive@" + Self.escaped(name: container) + suffix + ".service"
    }

    /// The name that earlier versions gave the unit; nil if it is the same. The unit of another container could have it.
    var formerName: String? { profile.map { "stratus-drive@" + Self.escaped(name: "\(container)-\($0)") + ".service" } }

    /// Whether the contents of a unit's file are for the same container and profile.
    func isSame(as text: String) -> Bool {
        guard let profile else { return false }
        return text.contains(" \"--container\" \(Self.argument(container))")
            && text.contains("Environment=\(Self.quoted("STRATUS_PROFILE=\(profile)"))\n")
    }

    /// The contents of the unit's file.
    var text: String {
        let words = ["drive", "run", "--container", container] + options
        let command = ([Self.quoted(executable)] + words.map { Self.argument($0) }).joined(separator: " ")
        let settings = Self.variables.compactMap { name in
            environment[name].flatMap { $0.isEmpty ? nil : "Environment=\(Self.quoted("\(name)=\($0)"))" }
        }
        return """
            # Written by 'stratus drive install'. 'stratus drive uninstall' removes it.

            [Unit]
            Description=Stratus files of \(Self.escaped(text: container))

            [Service]
            Type=notify
            ExecStart=\(command)
            \(settings.map { $0 + "\n" }.joined())Restart=on-failure
            RestartSec=5
            # An app that synchronizes the files ends its step before the service takes over.
            TimeoutStartSec=infinity

            # Only what needs no namespaces, which the services of users do not have on every machine.
            NoNewPrivileges=yes
            RestrictAddressFamilies=AF_INET AF_INET6 AF_UNIX AF_NETLINK
            RestrictNamespaces=yes
            RestrictRealtime=yes
            RestrictSUIDSGID=yes
            LockPersonality=yes
            MemoryDenyWriteExecute=yes
            SystemCallArchitectures=native
            SystemCallFilter=@system-service
            SystemCallErrorNumber=EPERM

            [Install]
            WantedBy=default.target

            """
    }

    /// A word of a command, in which systemd also replaces variables.
    private static func argument(_ text: String) -> String { quoted(text.replacing("$", with: "$$")) }

    private static func quoted(_ text: String) -> String { "\"\(escaped(text: text))\"" }

    /// The text as systemd reads it in quotation marks. Percent signs begin specifiers.
    private static func escaped(text: String) -> String {
        text.utf8.reduce(into: "") { result, byte in
            switch byte {
            case UInt8(ascii: "%"): result += "%%"
            case UInt8(ascii: "\\"): result += "\\\\"
            case UInt8(ascii: "\""): result += "\\\""
            case 0x20..<0x7F: result.unicodeScalars.append(Unicode.Scalar(byte))
            default: result += hexadecimal(byte)
            }
        }
    }

    /// The text as a part of a unit's name.
    private static func escaped(name: String) -> String {
        name.utf8.reduce(into: "") { result, byte in
            switch byte {
            case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, UInt8(ascii: "."), UInt8(ascii: "-"), UInt8(ascii: "_"):
                result.unicodeScalars.append(Unicode.Scalar(byte))
            default: result += hexadecimal(byte)
            }
        }
    }

    private static func hexadecimal(_ byte: UInt8) -> String {
        let digits = String(byte, radix: 16)
        return "\\x" + (digits.count < 2 ? "0" : "") + digits
    }
}
