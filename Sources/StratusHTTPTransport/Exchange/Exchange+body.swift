import StratusCMicroHTTPD

/// What bodies in memory are held to, on the connection's I/O thread.
extension Exchange {
    /// Whether the handler is to be asked before the body is read.
    func isToBeAdmitted(_ framing: BodyFraming, limit: Int) -> Bool {
        let unchecked = core.limits.uncheckedBodyBytes
        guard limit > unchecked else { return false }
        return switch framing {
        case .none: false
        case .length(let length): length > Int64(unchecked)
        case .chunked: true
        }
    }

    /// Suspends the connection until the handler has looked at the head.
    func waitForAdmission(of head: HTTPRequestHead) -> MHD_Result {
        stage = .admission
        connection.withLock {
            suspend()
            startAdmission(of: head)
        }
        return .YES
    }

    /// The connection goes on: the handler has decided, or the server's patience is over.
    func goOnAfterAdmission() -> MHD_Result {
        guard let head else { return .NO }
        switch takeAdmission() {
        case .undecided: return .YES
        case .aborted: return refuse(.unavailable)
        case .refused(let response): return refuse(response, to: head)
        case .admitted:
            stage = .body
            connection.enter(.body)
            return .YES
        }
    }

    /// Whether there is room for a body now. Nothing is kept for it, since a length is a mere word.
    func hasRoom(forBody length: Int64, of head: HTTPRequestHead) -> Bool {
        guard length > Int64(HTTPServerLimits.uncountedBytes) else { return true }
        if core.bodies.hasRoom(for: Int(clamping: length), of: client(of: head)) { return true }
        core.counters.refusedBodies.count()
        return false
    }

    /// Keeps a piece of the body, if there is room.
    func collect(_ data: UnsafeRawBufferPointer) -> MHD_Result {
        let count = collected.count + data.count
        if count > HTTPServerLimits.uncountedBytes, let head {
            let lease = lease ?? BodyLease(of: core.bodies, client: client(of: head))
            self.lease = lease
            guard lease.hold(count) else {
                core.counters.refusedBodies.count()
                (collected, self.lease) = ([], nil)
                connection.answer(status: 503)
                return .NO
            }
        }
        collected.append(contentsOf: data)
        return .YES
    }

    /// What the client is counted by; nil for one that no address tells from others.
    func client(of head: HTTPRequestHead) -> String? {
        let client = core.handler.client(of: head)
        return client == ClientAddress.unixText ? nil : client
    }
}
