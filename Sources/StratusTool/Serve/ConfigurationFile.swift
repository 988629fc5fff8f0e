import StratusCloudModel
import StratusCloudWire

/// The file of `serve --config`: a JSON object whose members are named like the options.
enum ConfigurationFile {
    /// Bytes of the file.
    private static let size = 1_048_576

    /// - Throws: a usage error that names the member that is unknown or of the wrong type.
    static func read(_ path: String) throws(ToolError) -> ServeSettings {
        let bytes = try AtomicFile.read(path, limit: size)
        do {
            let reader = try JSONReader(bytes, limit: size)
            var settings = ServeSettings()
            for (name, value) in try reader.members() {
                guard try settings.set(name, value) else {
                    throw ToolError.usage("\(path): '\(name)' is not a setting")
                }
            }
            return settings
        } catch let error as CloudError {
            throw .usage("\(path): \(error.reason)")
        } catch let error as ToolError {
            throw error
        } catch {
            throw .usage("\(path): \(error)")
        }
    }
}

extension ServeSettings {
    /// Takes a member of the file; false if there is no setting of that name.
    fileprivate mutating func set(_ name: String, _ value: JSONReader) throws -> Bool {
        switch name {
        case "data": data = try value.string()
        case "host": host = try value.string()
        case "port": port = try Self.port(value)
        case "tls-cert": tlsCertificate = try value.string()
        case "tls-key": tlsKey = try value.string()
        case "first-run": firstRun = try value.boolean()
        case "log-level": logLevel = try value.string()
        case "log-requests": logRequests = try value.boolean()
        case "admin-port": adminPort = try Self.port(value)
        case "metrics-token-file": metricsTokenFile = try value.string()
        case "public-url": publicURL = try value.string()
        case "trusted-proxy": trustedProxies = try value.elements().map { try $0.string() }
        case "console-files": consoleFiles = try value.string()
        case "engine": engine = try value.string()
        case "tombstone-days": tombstoneDays = try Self.number(of: "days", in: Self.tombstoneDaysRange, value)
        case "drain-seconds": drainSeconds = try Self.number(of: "seconds", in: Self.drainSecondsRange, value)
        default:
            return try limits.set(name, value) || assets.set(name, value) || push.set(name, value)
                || mail.set(name, value)
        }
        return true
    }

    private static func number(of unit: String, in range: ClosedRange<Int>, _ value: JSONReader) throws -> Int {
        guard let number = Int(exactly: try value.integer()), range.contains(number) else {
            throw value.refusal("must be a number of \(unit) from \(range.lowerBound) to \(range.upperBound)")
        }
        return number
    }

    private static func port(_ value: JSONReader) throws -> Int {
        let port = try value.integer()
        guard (0...65_535).contains(port) else { throw value.refusal("must be a port, 0 to 65535") }
        return Int(port)
    }
}
