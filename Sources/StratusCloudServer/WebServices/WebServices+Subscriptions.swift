import StratusCloudModel
import StratusCloudService
import StratusCloudWire
import StratusHTTPTransport

/// Subscriptions and devices.
extension WebServices {
    func performOnSubscriptions(
        _ call: WebServiceCall, _ body: [UInt8], _ caller: Caller, _ context: WireContext
    ) async throws(CloudError) -> WebServiceAnswer {
        switch call.operation {
        case .listSubscriptions:
            let options = try decoder.listSubscriptions(body)
            let subscriptions = try await service.listSubscriptions(in: call.scope, as: caller)
            return WebServiceAnswer(
                ResponseEncoder(context: context, options: options).listSubscriptions(subscriptions))
        case .lookupSubscriptions:
            let names = try decoder.lookupSubscriptions(body)
            let results = try await service.lookupSubscriptions(names, in: call.scope, as: caller)
            return WebServiceAnswer(
                ResponseEncoder(context: context).subscriptions(results), refusals: results.refusals)
        default:
            let operations = try decoder.modifySubscriptions(body)
            service.charge(RequestCost(operations: operations.count), to: caller)
            let results = try await service.modifySubscriptions(operations, in: call.scope, as: caller)
            return WebServiceAnswer(
                ResponseEncoder(context: context).subscriptions(results), refusals: results.refusals)
        }
    }

    /// `tokens/create` and `tokens/register`: the answer tells where the device's notifications are.
    func registerDevice(
        _ call: WebServiceCall, _ body: [UInt8], _ caller: Caller, _ head: HTTPRequestHead
    ) async throws(CloudError) -> WebServiceAnswer {
        let request = try decoder.pushToken(body, isRegistration: call.operation == .registerToken)
        guard let base = address.base(for: head) else {
            throw CloudError(.badRequest, "the Host header names no host")
        }
        let registration = try await service.registerDevice(request, as: caller)
        let secret = registration.courierSecret
        return WebServiceAnswer(
            ResponseEncoder(context: WireContext(requestUUID: "")).pushRegistration(
                registration, webcourierURL: "\(base)/push/poll?token=\(secret)",
                eventStreamURL: "\(base)/push/events?token=\(secret)"))
    }
}

extension [SubscriptionResult] {
    /// Why items were refused.
    fileprivate var refusals: [CloudError] {
        compactMap { if case .failed(_, let error) = $0 { error } else { nil } }
    }
}
