import StratusCloudModel
import StratusCloudServer
import StratusCloudService
import StratusCloudWire
import StratusCommandLine

/// The limits that `stratus serve` takes from the command line and the configuration file.
struct LimitSettings: Sendable {
    var publicRecordQuota: Int64?
    var publicAssetQuota: Int64?
    var privateRecordQuota: Int64?
    var privateAssetQuota: Int64?
    var backupQuota: Int64?
    var addressRate: Int?
    var tokenRate: Int?
    var userRate: Int?
    var peopleRate: Int?
    var clientConcurrency: Int?
    var operations: Int?
    var bodySize: Int64?

    /// These limits, and those of `other` where these say nothing.
    func completed(by other: LimitSettings) -> LimitSettings {
        LimitSettings(
            publicRecordQuota: publicRecordQuota ?? other.publicRecordQuota,
            publicAssetQuota: publicAssetQuota ?? other.publicAssetQuota,
            privateRecordQuota: privateRecordQuota ?? other.privateRecordQuota,
            privateAssetQuota: privateAssetQuota ?? other.privateAssetQuota,
            backupQuota: backupQuota ?? other.backupQuota,
            addressRate: addressRate ?? other.addressRate, tokenRate: tokenRate ?? other.tokenRate,
            userRate: userRate ?? other.userRate, peopleRate: peopleRate ?? other.peopleRate,
            clientConcurrency: clientConcurrency ?? other.clientConcurrency, operations: operations ?? other.operations,
            bodySize: bodySize ?? other.bodySize)
    }

    /// What the service is made with.
    var serviceConfiguration: ServiceConfiguration {
        var rates = RequestRates(
            perAddress: addressRate.map { .perSecond($0) }, perToken: tokenRate.map { .perSecond($0) },
            perUser: userRate.map { .perSecond($0) })
        if let peopleRate { rates.people = Rate(peopleRate, in: 3_600_000) }
        return ServiceConfiguration(
            quotas: Quotas(
                publicRecords: publicRecordQuota, publicAssets: publicAssetQuota, privateRecords: privateRecordQuota,
                privateAssets: privateAssetQuota, deviceBackups: backupQuota),
            rates: rates, operationsPerRequest: operations ?? ModelLimits.operationsPerRequest)
    }

    /// Bytes of a request body.
    var bodyLimit: Int { bodySize.map { Int(clamping: $0) } ?? ServerLimits.bodySize }
}

extension LimitSettings {
    /// What a rate may be: requests a second, or people an hour.
    static let rates = 1...1_000_000
    /// What the number of operations may be.
    static let operationCounts = 1...1_000
    private static let bodySizes = Int64(ServerLimits.bodySizes.lowerBound)...Int64(ServerLimits.bodySizes.upperBound)

    private enum Options {
        static let publicRecordQuota = quota(
            "public-record-quota", "Bytes of records that each public database may hold; no limit by default")
        static let publicAssetQuota = quota(
            "public-asset-quota", "Bytes of assets that each public database may refer to; no limit by default")
        static let privateRecordQuota = quota(
            "private-record-quota", "Bytes of records that each private database may hold; no limit by default")
        static let privateAssetQuota = quota(
            "private-asset-quota", "Bytes of assets that each private database may refer to; no limit by default")
        static let backupQuota = quota(
            "backup-quota", "Bytes that the backups of all devices of an account may hold; no limit by default")
        static let addressRate = rate(
            "address-rate",
            "Requests that one network address, or IPv6 /64 network, may send in a second; no limit by default")
        static let tokenRate = rate(
            "token-rate", "Requests with one API token or key in a second; no limit by default")
        static let userRate = rate("user-rate", "Requests that one user may send in a second; no limit by default")
        static let peopleRate = rate(
            "people-rate",
            "People that one user may look up in an hour; \(ServiceLimits.peoplePerHour) by default")
        static let clientConcurrency = Option.optional(
            "client-concurrency", .integer(ServerLimits.clientConcurrencies),
            help:
                "Requests of one client that run at the same time while others wait; by default 4 for each "
                + "core, and at "
                + "least 8"
        )
        static let operations = Option.optional(
            "max-operations", .integer(operationCounts),
            help: "Operations or names in one request; \(ModelLimits.operationsPerRequest) by default")
        static let bodySize = Option.optional(
            "max-body", .byteCount(bodySizes),
            help: "Bytes of a request body; \(ServerLimits.bodySize >> 20)M by default")

        private static func quota(_ name: String, _ help: String) -> Parameter<Int64?> {
            Option.optional(name, .byteCount(0...Int64.max), help: help)
        }

        private static func rate(_ name: String, _ help: String) -> Parameter<Int?> {
            Option.optional(name, .integer(rates), help: help)
        }
    }

    static let options: [any ParameterDeclaring] = [
        Options.publicRecordQuota, Options.publicAssetQuota, Options.privateRecordQuota, Options.privateAssetQuota,
        Options.backupQuota,
        Options.addressRate, Options.tokenRate, Options.userRate, Options.peopleRate,
        Options.clientConcurrency, Options.operations, Options.bodySize,
    ]

    /// The limits that were typed.
    init(_ values: Values) {
        self.init(
            publicRecordQuota: values[Options.publicRecordQuota], publicAssetQuota: values[Options.publicAssetQuota],
            privateRecordQuota: values[Options.privateRecordQuota],
            privateAssetQuota: values[Options.privateAssetQuota], backupQuota: values[Options.backupQuota],
            addressRate: values[Options.addressRate],
            tokenRate: values[Options.tokenRate], userRate: values[Options.userRate],
            peopleRate: values[Options.peopleRate],
            clientConcurrency: values[Options.clientConcurrency], operations: values[Options.operations],
            bodySize: values[Options.bodySize])
    }

    /// Takes a member of the configuration file; false if there is no limit of that name.
    mutating func set(_ name: String, _ value: JSONReader) throws -> Bool {
        switch name {
        case "public-record-quota": publicRecordQuota = try Self.bytes(value)
        case "public-asset-quota": publicAssetQuota = try Self.bytes(value)
        case "private-record-quota": privateRecordQuota = try Self.bytes(value)
        case "private-asset-quota": privateAssetQuota = try Self.bytes(value)
        case "backup-quota": backupQuota = try Self.bytes(value)
        case "address-rate": addressRate = try Self.number(value, Self.rates)
        case "token-rate": tokenRate = try Self.number(value, Self.rates)
        case "user-rate": userRate = try Self.number(value, Self.rates)
        case "people-rate": peopleRate = try Self.number(value, Self.rates)
        case "client-concurrency": clientConcurrency = try Self.number(value, ServerLimits.clientConcurrencies)
        case "max-operations": operations = try Self.number(value, Self.operationCounts)
        case "max-body": bodySize = try Self.bytes(value, Self.bodySizes)
        default: return false
        }
        return true
    }

    static func number(_ value: JSONReader, _ range: ClosedRange<Int>) throws -> Int {
        guard let number = Int(exactly: try value.integer()), range.contains(number) else {
            throw value.refusal("must be \(range.lowerBound) to \(range.upperBound)")
        }
        return number
    }

    /// A number of bytes, or a text as on the command line.
    static func bytes(
        _ value: JSONReader, _ range: ClosedRange<Int64> = 0...Int64.max
    ) throws -> Int64 {
        let number = try value.kind == .string ? ByteCount.parse(try value.string()) : value.integer()
        guard let number, range.contains(number) else {
            throw value.refusal("must be a number of bytes from \(range.lowerBound) to \(range.upperBound), such as 5G")
        }
        return number
    }
}
