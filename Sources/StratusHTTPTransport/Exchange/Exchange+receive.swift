import Glibc
import StratusCMicroHTTPD

/// What the library's handler callback leads to, on the connection's I/O thread.
extension Exchange {
    /// One call of the library: the head, a piece of the body, its end, or a resumed connection.
    func receive(method: UnsafePointer<CChar>, data: UnsafeRawBufferPointer) -> MHD_Result {
        switch stage {
        case .head: return receiveHead(at: method)
        case .body where !data.isEmpty: return receiveBody(data)
        case .body: return receiveEnd()
        case .admission: return goOnAfterAdmission()
        case .waiting:
            connection.resumptions.resumeAll()
            return answerOrWait()
        case .answered: return .YES
        }
    }

    private func receiveHead(at start: UnsafePointer<CChar>) -> MHD_Result {
        let size = transport_head_size(handle)
        guard size > 0, size <= core.connectionMemory, connection.isWatched else { return refuse(.malformed) }
        let framing: RequestFraming
        do throws(RequestRefusal) {
            framing = try start.withMemoryRebound(to: UInt8.self, capacity: size) { bytes throws(RequestRefusal) in
                try RequestFraming(
                    head: UnsafeBufferPointer(start: bytes, count: size), target: target, limits: core.limits)
            }
        } catch {
            return refuse(error)
        }
        if core.isAborting { return refuse(.unavailable) }
        let head = HTTPRequestHead(
            method: framing.method, target: target, headers: framing.headers,
            remoteAddress: connection.address.text, isSecure: core.isSecure)
        self.head = head
        isVersion11 = framing.isVersion11
        return prepareBody(framing.body, of: head)
    }

    private func prepareBody(_ framing: BodyFraming, of head: HTTPRequestHead) -> MHD_Result {
        let policy = core.handler.bodyPolicy(for: head)
        switch policy {
        case .buffered(let limit): bodyLimit = Int64(limit)
        case .streamed(let limit, _): bodyLimit = limit
        case .refused(let response): return refuse(response, to: head)
        }
        if case .length(let length) = framing {
            guard length <= bodyLimit else { return refuse(.bodyTooLarge) }
            if case .buffered = policy {
                guard hasRoom(forBody: length, of: head) else { return refuse(.unavailable) }
                collected.reserveCapacity(min(Int(length), Self.reservedBodyBytes))
            }
        }
        if framing != .none { connection.enter(.body) }
        if case .buffered(let limit) = policy, isToBeAdmitted(framing, limit: limit) {
            return waitForAdmission(of: head)
        }
        stage = .body
        if case .streamed(_, let pieceSize) = policy {
            let stream = IncomingStream(
                exchange: self, capacity: max(core.limits.streamBufferBytes, 2 * pieceSize), pieceSize: pieceSize)
            incoming = stream
            let request = HTTPRequest(
                head: head, body: HTTPRequestBody(stream: stream),
                isClientConnected: { [self] in isClientConnected })
            connection.withLock { startHandler(request) }
        }
        return .YES
    }

    /// More than this is not reserved on a client's mere word.
    private static let reservedBodyBytes = 65_536

    /// Bytes of a streamed body that renew its time.
    private static let renewalBytes: Int64 = 1_048_576

    private func receiveBody(_ data: UnsafeRawBufferPointer) -> MHD_Result {
        received += Int64(data.count)
        guard received <= bodyLimit else { return closeOversized() }
        guard let incoming else { return collect(data) }
        incoming.append(data)
        if received - receivedAtRenewal >= Self.renewalBytes {
            receivedAtRenewal = received
            connection.enter(.body)
        }
        return .YES
    }

    private func receiveEnd() -> MHD_Result {
        connection.enter(.handling)
        stage = .waiting
        if let incoming {
            incoming.finish()
            return answerOrWait()
        }
        guard let head else { return .NO }
        let request = HTTPRequest(
            head: head, body: HTTPRequestBody(bytes: collected, lease: lease),
            isClientConnected: { [self] in isClientConnected })
        (collected, lease) = ([], nil)
        if core.handler.isQuick(head, isAlone: core.isIdle) {
            startQuickHandler(request)
            return answerOrWait()
        }
        return act(on: takeAnswerOrSuspend { self.startHandler(request) })
    }

    private func answerOrWait() -> MHD_Result { act(on: takeAnswerOrSuspend()) }

    private func act(on outcome: Outcome) -> MHD_Result {
        var outcome = outcome
        while case .job(let job) = outcome {
            run(job)
            outcome = takeAnswerOrSuspend()
        }
        return switch outcome {
        case .answered(let answer): queue(answer)
        case .aborted: refuse(.unavailable, isRecorded: isEndAwaited)
        case .suspended, .job: .YES
        }
    }

    private func queue(_ answer: Answer) -> MHD_Result {
        stage = .answered
        connection.enter(.answering)
        noteSending(answer)
        holdAnswer(answer)
        if core.isDraining { MHD_add_response_header(answer.response, "Connection", "close") }
        let result = MHD_queue_response(handle, UInt32(answer.status), answer.response)
        MHD_destroy_response(answer.response)
        return result
    }

    /// Answers without the handler and closes the connection, since what follows cannot be told from a body.
    /// - Parameter isRecorded: whether the handler is told of the request's end in another way.
    func refuse(_ refusal: RequestRefusal, isRecorded: Bool = false) -> MHD_Result {
        core.counters.count(refusal)
        let said = isRecorded ? nil : core.handler.refusal(status: refusal.status)
        let body = said?.body ?? []
        guard let response = transport_copied_response(body.count, body) else { return .NO }
        if let said { MHD_add_response_header(response, "Content-Type", said.contentType) }
        MHD_add_response_header(response, "Connection", "close")
        if refusal.status == 503 { MHD_add_response_header(response, "Retry-After", RawAnswer.retryAfter) }
        core.linger(on: connection.socket)
        return queue(Answer(status: refusal.status, response: response))
    }

    /// Gives the handler's refusal of a body before the body.
    func refuse(_ response: HTTPResponse, to head: HTTPRequestHead) -> MHD_Result {
        let (answer, stream, _) = makeAnswer(response, to: head)
        stream?.fail(HTTPStreamError.connectionClosed)
        MHD_add_response_header(answer.response, "Connection", "close")
        core.linger(on: connection.socket)
        core.counters.requests.count()
        return queue(answer)
    }

    /// The library takes no answer in the middle of a body, so it is written past it.
    private func closeOversized() -> MHD_Result {
        core.counters.oversizedBodies.count()
        closingError = HTTPStreamError.bodyTooLarge
        connection.answer(status: 413)
        return .NO
    }
}

/// Whole answers for connections that the library cannot answer.
enum RawAnswer {
    /// Seconds after which a client that found no room may come again.
    static let retryAfter = "1"

    private static let unavailable = bytes(status: 503, nil)

    /// An answer that closes its connection.
    static func bytes(status: Int, _ said: HTTPRefusal?) -> [UInt8] {
        let reason =
            switch status {
            case 400: "Bad Request"
            case 413: "Content Too Large"
            default: "Service Unavailable"
            }
        var head = "HTTP/1.1 \(status) \(reason)\r\nContent-Length: \(said?.body.count ?? 0)\r\nConnection: close\r\n"
        if let said { head += "Content-Type: \(said.contentType)\r\n" }
        if status == 503 { head += "Retry-After: \(retryAfter)\r\n" }
        return Array((head + "\r\n").utf8) + (said?.body ?? [])
    }

    /// Sends that there is no room, as far as the socket takes it at once.
    static func writeUnavailable(to socket: Int32) {
        unavailable.withUnsafeBytes { bytes in
            _ = send(socket, bytes.baseAddress, bytes.count, MessageFlags.noSignal | MessageFlags.dontWait)
        }
    }
}

/// Flags of the system's send and receive functions.
enum MessageFlags {
    static let noSignal = Int32(MSG_NOSIGNAL)
    static let dontWait = Int32(MSG_DONTWAIT)
}
