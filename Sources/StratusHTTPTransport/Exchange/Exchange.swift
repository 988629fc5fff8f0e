import StratusCMicroHTTPD
import StratusWorkers

/// One request and its answer.
///
/// The library owns one reference, from the request line until the request is completed; the handler's task and the
/// streams own others. The library's connection may be used only until the completion, which `isOver` marks.
///
/// `@unchecked Sendable`: the first group of variables is touched only by the connection's I/O thread or set before
/// others know the exchange, the second only under the connection's lock.
final class Exchange: @unchecked Sendable {
    /// How far the I/O thread has come.
    enum Stage {
        case head
        /// The handler looks at the head before the body is read.
        case admission
        case body
        case waiting
        case answered
    }

    let core: ServerCore
    let connection: Connection
    let handle: OpaquePointer
    let target: HTTPTarget

    var stage = Stage.head
    var head: HTTPRequestHead?
    var isVersion11 = false
    var collected: [UInt8] = []
    /// The room that ``collected`` takes; nil as long as it is small.
    var lease: BodyLease?
    var waitingAnswer: WaitingAnswers<Exchange>.ID?
    var bodyLimit: Int64 = 0
    var received: Int64 = 0
    var receivedAtRenewal: Int64 = 0
    var incoming: IncomingStream?
    var closingError: (any Error)?

    /// Pieces of a quick handler's task that wait for the I/O thread.
    var jobs: [UnownedJob] = []
    /// Whether the I/O thread will not come for further jobs.
    var isLeft = false
    private(set) var isSuspended = false
    private(set) var isOver = false
    private var isAborted = false
    private var isAbandoned = false
    private var admission = Admission.undecided
    private var answer: Answer?
    /// What the answer's file costs.
    private var file: FileLease?
    private var outgoing: OutgoingStream?
    private var task: Task<Void, Never>?
    /// Told when the request ends without the answer that is to be given later.
    private var lateEnd: (@Sendable () -> Void)?
    /// Told when the request is over.
    private var whenOver: (@Sendable (HTTPResponseEnd) -> Void)?
    /// What the client is sent, as far as that is known before the end.
    private var sent = HTTPResponseEnd(status: nil, bodyBytes: 0)

    init(core: ServerCore, connection: Connection, handle: OpaquePointer, target: HTTPTarget) {
        self.core = core
        self.connection = connection
        self.handle = handle
        self.target = target
    }

    /// A response of the library, ready to be queued.
    struct Answer {
        let status: Int
        let response: OpaquePointer
        /// Bytes of the body; of a stream, none yet.
        var bodyBytes: Int64 = 0
        /// Those of them that are in memory.
        var bufferedBytes = 0
        var file: FileLease?
    }

    /// What the handler says of a body that has not come.
    enum Admission {
        case undecided
        case admitted
        case refused(HTTPResponse)
        case aborted
    }

    // MARK: Under the connection's lock

    /// Takes the connection out of the I/O thread's care. On the I/O thread, under the lock.
    func suspend() {
        guard !isSuspended else { return }
        isSuspended = true
        MHD_suspend_connection(handle)
    }

    /// Gives the connection back to the I/O thread, once per suspension. Under the lock, on any thread.
    /// - Returns: whether it was suspended.
    @discardableResult
    func resume() -> Bool {
        guard isSuspended, !isOver else { return false }
        isSuspended = false
        MHD_resume_connection(handle)
        return true
    }

    // MARK: On the I/O thread

    /// Waits for the handler, or hands out what there is already.
    enum Outcome {
        case job(UnownedJob)
        case answered(Answer)
        case aborted
        case suspended
    }

    /// Takes a job or the answer, or suspends the connection until there is one. `start` is called under the lock,
    /// after that.
    func takeAnswerOrSuspend(thenStart start: (() -> Void)? = nil) -> Outcome {
        connection.withLock {
            if !jobs.isEmpty { return .job(jobs.removeFirst()) }
            if let answer {
                self.answer = nil
                isLeft = true
                return .answered(answer)
            }
            if isAborted || core.isAborting {
                isLeft = true
                return .aborted
            }
            suspend()
            start?()
            return .suspended
        }
    }

    /// Asks the handler whether the body may come. Under the lock.
    func startAdmission(of head: HTTPRequestHead) {
        core.beginHandler()
        task = Task(executorPreference: core.executor) { [self] in
            let refusal = await core.handler.refusalOfBody(of: head)
            core.endHandler()
            connection.withLock {
                admission = refusal.map { .refused($0) } ?? .admitted
                task = nil
                resume()
            }
        }
    }

    /// What was decided. Suspends the connection again if nothing was.
    func takeAdmission() -> Admission {
        connection.withLock {
            if case .undecided = admission {
                if isAborted || core.isAborting { return .aborted }
                suspend()
            }
            return admission
        }
    }

    /// The answer goes to the client, unless it has gone.
    func noteSending(_ answer: Answer) {
        connection.withLock {
            guard !isAbandoned else { return }
            sent = HTTPResponseEnd(status: answer.status, bodyBytes: answer.bodyBytes)
        }
    }

    /// Whether somebody waits to be told the end, who therefore speaks of the request.
    var isEndAwaited: Bool { connection.withLock { whenOver != nil } }

    /// Runs the handler. Under the lock, or before anybody else knows the exchange.
    func startHandler(_ request: HTTPRequest) {
        core.counters.requests.count()
        core.beginHandler()
        task = Task(executorPreference: core.executor) { [self] in await handle(request) }
    }

    /// Starts the handler with this thread as its own, which has to come for its jobs. Not under the lock.
    func startQuickHandler(_ request: HTTPRequest) {
        core.counters.requests.count()
        core.beginHandler()
        WorkerPool.adoptCurrentThread()
        let started = Task(executorPreference: self) { [self] in await handle(request) }
        connection.withLock { task = started }
    }

    private func handle(_ request: HTTPRequest) async {
        let response = await core.handler.respond(to: request)
        core.endHandler()
        request.body.discardRest()
        await send(response, to: request.head)
    }

    /// The library is done with the request, whole or not.
    func complete(isWhole: Bool) {
        connection.end(self)
        releaseAnswer()
        lease = nil
        defer { connection.resumptions.resumeAll() }
        let (answer, outgoing, task, lateEnd, whenOver) = connection.withLock {
            isOver = true
            isSuspended = false
            runJobsElsewhere()
            defer {
                (self.answer, self.outgoing, self.task, self.lateEnd, self.whenOver) = (nil, nil, nil, nil, nil)
                file = nil
            }
            if let stream = self.outgoing { self.sent.bodyBytes = stream.sentBytes }
            return (self.answer, self.outgoing, self.task, self.lateEnd, self.whenOver)
        }
        lateEnd?()
        whenOver?(sent)
        if let answer { MHD_destroy_response(answer.response) }
        let error = closingError ?? HTTPStreamError.connectionClosed
        incoming?.fail(error)
        incoming = nil
        if isWhole { return }
        outgoing?.fail(error)
        task?.cancel()
    }

    // MARK: On the handler's task

    private func send(_ response: HTTPResponse, to head: HTTPRequestHead) async {
        if let whenOver = response.whenOver { tell(whenOver) }
        if case .later(let begin) = response.body {
            connection.withLock { task = nil }
            begin(HTTPLateAnswer(exchange: self, head: head))
            return
        }
        let (answer, stream, writer) = makeAnswer(response, to: head)
        deliver(answer, stream)
        guard let stream, let writer else { return }
        do {
            try await writer(HTTPBodyWriter(stream: stream))
            stream.finish()
        } catch {
            stream.fail(error)
        }
    }

    private func tell(_ whenOver: @escaping @Sendable (HTTPResponseEnd) -> Void) {
        let end = connection.withLock { () -> HTTPResponseEnd? in
            if isOver { return sent }
            self.whenOver = whenOver
            return nil
        }
        if let end { whenOver(end) }
    }

    // MARK: For answers that are given later

    func giveLate(_ response: HTTPResponse, to head: HTTPRequestHead) {
        connection.withLock { lateEnd = nil }
        let (answer, stream, _) = makeAnswer(response, to: head)
        deliver(answer, stream)
        stream?.fail(HTTPStreamError.connectionClosed)
    }

    func whenAbandoned(_ body: @escaping @Sendable () -> Void) {
        let isTooLate = connection.withLock {
            if isOver || isAborted || isAbandoned { return true }
            lateEnd = body
            return false
        }
        if isTooLate { body() }
    }

    private func takeLateEnd() -> (@Sendable () -> Void)? {
        defer { lateEnd = nil }
        return lateEnd
    }

    private func deliver(_ answer: Answer, _ stream: OutgoingStream?) {
        let isTooLate = connection.withLock {
            if isOver || isAborted { return true }
            self.answer = answer
            file = answer.file
            outgoing = stream
            resume()
            return false
        }
        guard isTooLate else { return }
        MHD_destroy_response(answer.response)
        stream?.fail(HTTPStreamError.connectionClosed)
    }

    /// Whether the client has not closed its side, and the library is not done.
    var isClientConnected: Bool {
        guard connection.withLock({ !isOver && !isAborted && !isAbandoned }) else { return false }
        return core.registry.isOpen(connection)
    }

    // MARK: On the caretaker's thread

    /// The client has closed its side: the handler is told, and a waiting stream ends.
    func abandon() {
        let (task, outgoing, lateEnd, isFirst) = connection.withLock {
            defer { isAbandoned = true }
            return (self.task, self.outgoing, takeLateEnd(), !isAbandoned && !isOver)
        }
        lateEnd?()
        guard isFirst else { return }
        core.counters.abandonedRequests.count()
        task?.cancel()
        outgoing?.fail(HTTPStreamError.connectionClosed)
    }

    /// The server's patience is over: the handler is told, and the connection goes on without it.
    /// - Returns: whether the connection waited, so that the library now answers it.
    @discardableResult
    func abort() -> Bool {
        let (task, outgoing, lateEnd, hasWaited) = connection.withLock {
            isAborted = true
            return (self.task, self.outgoing, takeLateEnd(), resume())
        }
        lateEnd?()
        task?.cancel()
        outgoing?.fail(HTTPStreamError.connectionClosed)
        return hasWaited
    }
}
