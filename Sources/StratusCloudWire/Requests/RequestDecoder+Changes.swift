import StratusCloudModel

/// The zones of a `changes/zone`, and the form that each zone's page should have.
public struct DecodedZoneChanges: Hashable, Sendable {
    /// One for each zone, with what the request says for all filled in.
    public var requests: [ZoneChangesRequest]
    /// One for each zone.
    public var options: [WireOptions]

    /// Pairs requests with their options.
    public init(_ requests: [ZoneChangesRequest], options: [WireOptions]) {
        self.requests = requests
        self.options = options
    }
}

extension RequestDecoder {
    /// `changes/zone`. What a zone says counts before what the request says for all. At most
    /// ``ModelLimits/operationsPerRequest`` zones.
    public func zoneChanges(_ body: [UInt8]) throws(CloudError) -> DecodedZoneChanges {
        let body = try open(body)
        let list = try body.required("zones")
        let elements = try bounded(list, "zones")
        let common = try body.feedOptions()
        var decoded = DecodedZoneChanges([], options: [])
        for element in elements {
            let own = try element.feedOptions()
            decoded.requests.append(
                ZoneChangesRequest(
                    zoneID: try element.required("zoneID").zoneID(), syncToken: try element.text("syncToken"),
                    resultsLimit: own.resultsLimit ?? common.resultsLimit,
                    desiredKeys: own.desiredKeys ?? common.desiredKeys,
                    desiredRecordTypes: own.desiredRecordTypes ?? common.desiredRecordTypes,
                    reverse: own.reverse ?? common.reverse ?? false))
            decoded.options.append(
                WireOptions(numbersAsStrings: own.numbersAsStrings ?? common.numbersAsStrings ?? false))
        }
        return decoded
    }

    /// `records/changes`.
    public func recordChanges(_ body: [UInt8]) throws(CloudError) -> Decoded<ZoneChangesRequest> {
        let body = try open(body)
        let options = try body.feedOptions()
        return Decoded(
            ZoneChangesRequest(
                zoneID: try body.required("zoneID").zoneID(), syncToken: try body.text("syncToken"),
                resultsLimit: options.resultsLimit, desiredKeys: options.desiredKeys,
                desiredRecordTypes: options.desiredRecordTypes, reverse: options.reverse ?? false),
            options: WireOptions(numbersAsStrings: options.numbersAsStrings ?? false))
    }

    /// `changes/records`, an addition.
    public func publicChanges(_ body: [UInt8]) throws(CloudError) -> Decoded<PublicChangesRequest> {
        let body = try open(body)
        let options = try body.feedOptions()
        return Decoded(
            PublicChangesRequest(
                syncToken: try body.text("syncToken"), resultsLimit: options.resultsLimit,
                desiredKeys: options.desiredKeys, desiredRecordTypes: options.desiredRecordTypes),
            options: WireOptions(numbersAsStrings: options.numbersAsStrings ?? false))
    }

    /// `changes/database`.
    public func databaseChanges(_ body: [UInt8]) throws(CloudError) -> DatabaseChangesRequest {
        let body = try open(body)
        return DatabaseChangesRequest(
            syncToken: try body.text("syncToken"), resultsLimit: try body.count("resultsLimit"))
    }

    /// `zones/changes`. The token is called `metaSyncToken` there; one client says `syncToken`.
    public func zonesChanges(_ body: [UInt8]) throws(CloudError) -> DatabaseChangesRequest {
        let body = try open(body)
        let token = body.member("metaSyncToken") ?? body.member("syncToken")
        return DatabaseChangesRequest(
            syncToken: try token.map { (token) throws(CloudError) in try token.string() },
            resultsLimit: try body.count("resultsLimit"))
    }
}

/// What can be said for all zones of a request, and for each.
private struct FeedOptions {
    var resultsLimit: Int?
    var desiredKeys: [String]?
    var desiredRecordTypes: [String]?
    var reverse: Bool?
    var numbersAsStrings: Bool?
}

extension JSONReader {
    fileprivate func feedOptions() throws(CloudError) -> FeedOptions {
        try requireObject()
        // Apple's document misspells it once.
        let numbersAsStrings = member(WireNames.numbersAsStrings) ?? member("numberAsStrings")
        return FeedOptions(
            resultsLimit: try count("resultsLimit"), desiredKeys: try texts("desiredKeys"),
            desiredRecordTypes: try texts("desiredRecordTypes"), reverse: try flag("reverse"),
            numbersAsStrings: try numbersAsStrings.map { (flag) throws(CloudError) in try flag.boolean() })
    }

    /// An optional number of things. What is too large for an `Int` is as large as can be.
    func count(_ name: StaticString) throws(CloudError) -> Int? {
        guard let member = member(name) else { return nil }
        return Int(clamping: try member.integerOrText())
    }
}
