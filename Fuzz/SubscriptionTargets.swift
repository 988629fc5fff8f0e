import StratusCloudModel
import StratusCloudWire

struct ModifySubscriptionsTarget: RequestTarget {
    let name = "modify-subscriptions"
    var corpus: [[UInt8]] { Corpus.subscriptionModifications }

    func decode(_ body: [UInt8]) throws(CloudError) -> [SubscriptionOperation] {
        try RequestDecoder().modifySubscriptions(body)
    }

    func encode(_ request: [SubscriptionOperation]) throws(CloudError) -> [UInt8] {
        try RequestEncoder().modifySubscriptions(request)
    }
}

struct LookupSubscriptionsTarget: RequestTarget {
    let name = "lookup-subscriptions"
    var corpus: [[UInt8]] { Corpus.subscriptionLookups }

    func decode(_ body: [UInt8]) throws(CloudError) -> [String] { try RequestDecoder().lookupSubscriptions(body) }

    func encode(_ request: [String]) throws(CloudError) -> [UInt8] { try RequestEncoder().lookupSubscriptions(request) }
}

/// Device tokens are only read, so nothing is promised but to stand them.
struct PushTokenTarget: FuzzTarget {
    let name = "push-token"
    var corpus: [[UInt8]] { Corpus.pushTokens }

    func run(_ input: [UInt8]) throws(BrokenPromise) -> Bool {
        (try? RequestDecoder().pushToken(input, isRegistration: true)) != nil
    }
}
