import StratusCloudModel
import StratusCloudWire

struct DiscoverUsersTarget: RequestTarget {
    let name = "discover-users"
    var corpus: [[UInt8]] {
        [
            Corpus.bytes(
                #"{"lookupInfos":[{"emailAddress":"a@b"},{"phoneNumber":"+1 555"},{"userRecordName":"_u"}]}"#)
        ]
    }

    func decode(_ body: [UInt8]) throws(CloudError) -> [UserLookup]? { try RequestDecoder().discoverUsers(body) }

    func encode(_ request: [UserLookup]?) throws(CloudError) -> [UInt8] {
        guard let request else { return Array("{}".utf8) }
        return try RequestEncoder().discoverUsers(request)
    }
}

struct ContactsTarget: RequestTarget {
    let name = "contacts"
    var corpus: [[UInt8]] {
        let hash = Base64.string(Array(repeating: 7, count: ModelLimits.contactHashLength))
        return [Corpus.bytes(#"{"contactHashes":["\#(hash)","\#(hash)"]}"#)]
    }

    func decode(_ body: [UInt8]) throws(CloudError) -> [[UInt8]]? { try RequestDecoder().contacts(body) }

    func encode(_ request: [[UInt8]]?) throws(CloudError) -> [UInt8] { try RequestEncoder().contacts(request) }
}
