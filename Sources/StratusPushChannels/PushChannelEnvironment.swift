import StratusHTTPClient

/// What channels take from the process: time, a place for complaints, and who is trusted.
public struct PushChannelEnvironment: Sendable {
    /// Milliseconds since 1970-01-01 UTC.
    public var now: @Sendable () -> Int64
    /// Takes sentences for the operator: what a push service complains of and only the operator can mend. They name no
    /// device and no secret.
    public var report: @Sendable (String) -> Void
    /// A PEM file of the certificate authorities that vouch for push services; nil for the system's.
    public var certificateAuthorityFile: String?

    /// Puts together an environment.
    public init(
        now: @escaping @Sendable () -> Int64, report: @escaping @Sendable (String) -> Void,
        certificateAuthorityFile: String? = nil
    ) {
        self.now = now
        self.report = report
        self.certificateAuthorityFile = certificateAuthorityFile
    }

    /// A client within the limits of channels.
    func client(allowsPrivateAddresses: Bool) -> HTTPClient {
        var options = HTTPClientOptions()
        options.allowsPrivateAddresses = allowsPrivateAddresses
        options.certificateAuthorityFile = certificateAuthorityFile
        options.connectTimeout = .seconds(PushChannelLimits.connectTimeout)
        options.timeout = .seconds(PushChannelLimits.timeout)
        options.maximumResponseLength = PushChannelLimits.responseLength
        options.connectionsPerHost = PushChannelLimits.connectionsPerHost
        return HTTPClient(options: options)
    }
}
