import Foundation
import StratusCloudModel
import StratusCloudWire
import StratusHTTPClient

extension HTTPCloudTransport {
    /// Registers this client and asks again and again what there is for it; each question waits at the server until there is
    /// something, or for 50 seconds.
    public func listen(
        _ receive: @escaping @Sendable (PushReport) -> Void
    ) async throws(CloudTransportError) {
        let address = try await register()
        receive(.listening)
        while !Task.isCancelled {
            let response = try await exchange(HTTPClientRequest(url: address, timeout: SyncLimits.pollPatience))
            guard response.status == 200 else { throw Self.refusal(response) }
            if let notification = Self.notification(response.body) { receive(.notification(notification)) }
        }
    }

    /// - Returns: where the notifications are.
    private func register() async throws(CloudTransportError) -> String {
        let body: [UInt8]
        do throws(CloudError) {
            body = try RequestEncoder().createPushToken(clientID: endpoint.clientID)
        } catch {
            throw .refused(error, requestUUID: nil)
        }
        let response = try await exchange(
            HTTPClientRequest(
                method: "POST", url: deviceURL("tokens/create"), headers: ["Content-Type": "application/json"],
                body: body))
        guard (200..<300).contains(response.status) else { throw Self.refusal(response) }
        do throws(CloudError) {
            return try ResponseDecoder().courierAddress(response.body)
        } catch {
            throw .refused(error, requestUUID: nil)
        }
    }

    /// nil for `null`, the answer when nothing came, and for what is no notification.
    private static func notification(_ body: [UInt8]) -> CKNotification? {
        guard let values = try? JSONSerialization.jsonObject(with: Data(body), options: .fragmentsAllowed),
            let payload = values as? [AnyHashable: Any]
        else { return nil }
        return CKNotification(fromRemoteNotificationDictionary: payload)
    }
}
