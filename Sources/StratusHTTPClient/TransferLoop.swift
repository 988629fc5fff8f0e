import Glibc
import StratusCCurl
import StratusWorkers

/// The thread that moves all bytes of a client, and its inbox.
///
/// `@unchecked Sendable`: `multi` never changes and only `curl_multi_wakeup`, which libcurl allows on any thread, is
/// called elsewhere; `active`, `idle` and `isStopping` are touched by the loop's thread alone.
final class TransferLoop: @unchecked Sendable {
    private enum Command {
        case start(Transfer)
        case cancel(Transfer)
        case stop
    }

    private let options: HTTPClientOptions
    private let multi: UnsafeMutableRawPointer
    private let inbox = Lock<[Command]>([])
    private var active: [UnsafeMutableRawPointer: Transfer] = [:]
    private var idle: [UnsafeMutableRawPointer] = []
    private var isStopping = false

    init(options: HTTPClientOptions) {
        precondition(CurlLibrary.status == CURLE_OK, "libcurl cannot be initialized")
        guard let multi = curl_multi_init() else { preconditionFailure("no memory for libcurl") }
        self.options = options
        self.multi = multi
        stratus_curl_multi_set_long(multi, CURLMOPT_MAX_HOST_CONNECTIONS, options.connectionsPerHost)
        stratus_curl_multi_set_long(multi, CURLMOPT_MAXCONNECTS, options.idleConnections)
    }

    deinit {
        for handle in idle { curl_easy_cleanup(handle) }
        curl_multi_cleanup(multi)
    }

    /// Starts the thread, which holds the loop until `stop`.
    func startThread() {
        let context = Unmanaged.passRetained(self)
        var thread = pthread_t()
        let failure = pthread_create(&thread, nil, transferLoopMain, context.toOpaque())
        precondition(failure == 0, "no thread can be started: error \(failure)")
        pthread_detach(thread)
    }

    func start(_ transfer: Transfer) { post(.start(transfer)) }

    /// Ends `transfer` if it is not over. It may come before the transfer's start.
    func cancel(_ transfer: Transfer) { post(.cancel(transfer)) }

    /// Ends the thread once nothing is under way.
    func stop() { post(.stop) }

    private func post(_ command: Command) {
        let mustWake = inbox.withLock { inbox in
            inbox.append(command)
            return inbox.count == 1
        }
        if mustWake { curl_multi_wakeup(multi) }
    }

    fileprivate func run() {
        while true {
            handleCommands()
            var running: Int32 = 0
            curl_multi_perform(multi, &running)
            finishCompleted()
            // The client may be gone while a last request is under way.
            if isStopping, active.isEmpty { return }
            curl_multi_poll(multi, nil, 0, HTTPClientLimits.sleepMilliseconds, nil)
        }
    }

    private func handleCommands() {
        let commands = inbox.withLock { inbox in
            let commands = inbox
            inbox.removeAll(keepingCapacity: true)
            return commands
        }
        for command in commands {
            switch command {
            case .start(let transfer): begin(transfer)
            case .cancel(let transfer): abandon(transfer)
            case .stop: isStopping = true
            }
        }
    }

    private func begin(_ transfer: Transfer) {
        guard !transfer.isCancelled else {
            return transfer.finish(.failure(HTTPClientError(.cancelled, "cancelled before it was sent")))
        }
        guard let handle = idle.popLast() ?? curl_easy_init() else {
            return transfer.finish(.failure(HTTPClientError(.other, "no memory for a request")))
        }
        transfer.configure(handle, options: options)
        active[handle] = transfer
        guard curl_multi_add_handle(multi, handle) == CURLM_OK else {
            release(handle)
            return transfer.finish(.failure(HTTPClientError(.other, "libcurl takes no further request")))
        }
    }

    private func abandon(_ transfer: Transfer) {
        transfer.isCancelled = true
        // Without a handle it is not begun (then `begin` finishes it) or over already.
        guard let handle = transfer.handle else { return }
        release(handle)
        transfer.finish(.failure(HTTPClientError(.cancelled, "cancelled while under way")))
    }

    private func finishCompleted() {
        var left: Int32 = 0
        while let message = curl_multi_info_read(multi, &left) {
            guard message.pointee.msg == CURLMSG_DONE, let handle = message.pointee.easy_handle else { continue }
            let code = message.pointee.data.result
            guard let transfer = active[handle] else { continue }
            let outcome = transfer.outcome(code)
            release(handle)
            transfer.finish(outcome)
        }
    }

    /// Takes `handle` out of use and keeps it for a later transfer.
    private func release(_ handle: UnsafeMutableRawPointer) {
        curl_multi_remove_handle(multi, handle)
        active.removeValue(forKey: handle)?.handle = nil
        guard idle.count < HTTPClientLimits.idleHandles else { return curl_easy_cleanup(handle) }
        curl_easy_reset(handle)
        idle.append(handle)
    }
}

private func transferLoopMain(_ context: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
    // A peer that closes must cost an error, not the process; libcurl leaves this signal to its user.
    var signals = sigset_t()
    sigemptyset(&signals)
    sigaddset(&signals, SIGPIPE)
    pthread_sigmask(SIG_BLOCK, &signals, nil)
    guard let context else { return nil }
    Unmanaged<TransferLoop>.fromOpaque(context).takeRetainedValue().run()
    return nil
}
