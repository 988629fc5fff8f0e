import StratusCMicroHTTPD
import StratusCReceivedBytes

/// One I/O thread of the library with the connections it was given.
///
/// `@unchecked Sendable`: the pointer never changes, and the library's functions used here may be called on any thread.
final class Daemon: @unchecked Sendable {
    private let handle: OpaquePointer
    /// What the thread goes on with when it is woken.
    let resumptions = ResumptionQueue()

    /// - Throws: `HTTPServerError` with `.invalidCertificate` where TLS is wanted, which is then the likely reason.
    init(core: ServerCore, tls: HTTPServerConfiguration.TLS?) throws(HTTPServerError) {
        var options = transport_daemon_options()
        options.receive = receiveCallback
        options.target = targetCallback
        options.completed = completedCallback
        options.connection_changed = connectionCallback
        options.unescape = unescapeCallback
        options.context = Unmanaged.passUnretained(core).toOpaque()
        options.connection_memory = core.connectionMemory
        options.connection_limit = UInt32(Descriptors.limit)
        options.inactivity_seconds = UInt32(clamping: (core.limits.idleTime.wholeMilliseconds + 999) / 1_000)
        guard let handle = Self.start(&options, tls) else {
            throw HTTPServerError(tls == nil ? .system : .invalidCertificate, "start an I/O thread")
        }
        self.handle = handle
    }

    /// TLS 1.3, and 1.2 with keys that are made for the connection, so that whoever gets the certificate's key later
    /// cannot read what was recorded before.
    private static let priorities = "NORMAL:-VERS-ALL:+VERS-TLS1.3:+VERS-TLS1.2:-KX-ALL:+ECDHE-ECDSA:+ECDHE-RSA"

    private static func start(
        _ options: inout transport_daemon_options, _ tls: HTTPServerConfiguration.TLS?
    ) -> OpaquePointer? {
        guard let tls else { return transport_start_daemon(&options) }
        return tls.certificate.withCString { certificate in
            tls.key.withCString { key in
                priorities.withCString { priorities in
                    options.certificate = certificate
                    options.key = key
                    options.tls_priorities = priorities
                    return transport_start_daemon(&options)
                }
            }
        }
    }

    /// Takes over a connected socket.
    func add(_ socket: Int32, _ address: UnsafePointer<sockaddr>, _ length: socklen_t) {
        MHD_add_connection(handle, socket, address, length)
    }

    /// Ends the thread and closes its connections, none of which may be suspended.
    func stop() { MHD_stop_daemon(handle) }
}

// The library's callbacks. The context is the server's core, which outlives its daemons.

private func core(_ context: UnsafeMutableRawPointer?) -> ServerCore? {
    context.map { Unmanaged<ServerCore>.fromOpaque($0).takeUnretainedValue() }
}

private func targetCallback(
    _ context: UnsafeMutableRawPointer?, _ target: UnsafePointer<CChar>?, _ handle: OpaquePointer?
) -> UnsafeMutableRawPointer? {
    guard let core = core(context), let handle, let target,
        let info = transport_connection_context(handle)
    else { return nil }
    let connection = Unmanaged<Connection>.fromOpaque(info).takeUnretainedValue()
    connection.enter(.head)
    let exchange = Exchange(
        core: core, connection: connection, handle: handle, target: connection.target(of: target))
    connection.begin(exchange)
    return Unmanaged.passRetained(exchange).toOpaque()
}

private func receiveCallback(
    _ context: UnsafeMutableRawPointer?, _ handle: OpaquePointer?, _ url: UnsafePointer<CChar>?,
    _ method: UnsafePointer<CChar>?, _ version: UnsafePointer<CChar>?, _ data: UnsafePointer<CChar>?,
    _ size: UnsafeMutablePointer<Int>?, _ request: UnsafeMutablePointer<UnsafeMutableRawPointer?>?
) -> MHD_Result {
    guard let request = request?.pointee, let method, let size else { return .NO }
    let bytes = UnsafeRawBufferPointer(start: data, count: data == nil ? 0 : size.pointee)
    size.pointee = 0
    return Unmanaged<Exchange>.fromOpaque(request)._withUnsafeGuaranteedRef { $0.receive(method: method, data: bytes) }
}

private func completedCallback(
    _ context: UnsafeMutableRawPointer?, _ handle: OpaquePointer?,
    _ request: UnsafeMutablePointer<UnsafeMutableRawPointer?>?, _ reason: MHD_RequestTerminationCode
) {
    guard let pointer = request?.pointee else { return }
    request?.pointee = nil
    let exchange = Unmanaged<Exchange>.fromOpaque(pointer).takeRetainedValue()
    exchange.connection.complete()
    exchange.complete(isWhole: reason == .REQUEST_TERMINATED_COMPLETED_OK)
}

private func connectionCallback(
    _ context: UnsafeMutableRawPointer?, _ handle: OpaquePointer?,
    _ slot: UnsafeMutablePointer<UnsafeMutableRawPointer?>?, _ change: MHD_ConnectionNotificationCode
) {
    guard let core = core(context), let handle, let slot else { return }
    let socket = transport_socket(handle)
    switch change {
    case .CONNECTION_NOTIFY_STARTED:
        // The registry owns the connection until the library closes it.
        let connection = core.registry.connection(on: socket).map { Unmanaged.passUnretained($0).toOpaque() }
        slot.pointee = connection
        received_bytes_watch(socket, transport_session(handle), receivedCallback, connection)
    case .CONNECTION_NOTIFY_CLOSED:
        slot.pointee = nil
        received_bytes_unwatch(socket)
        core.registry.remove(socket)
    @unknown default: break
    }
}

private func receivedCallback(_ context: UnsafeMutableRawPointer?, _ bytes: UnsafeRawPointer?, _ count: Int) -> Int {
    guard let context else { return 0 }
    return Unmanaged<Connection>.fromOpaque(context)._withUnsafeGuaranteedRef {
        $0.receive(UnsafeRawBufferPointer(start: bytes, count: count))
    }
}

/// Targets are kept as they are sent.
private func unescapeCallback(
    _ context: UnsafeMutableRawPointer?, _ handle: OpaquePointer?, _ text: UnsafeMutablePointer<CChar>?
) -> Int {
    text.map { strlen($0) } ?? 0
}
