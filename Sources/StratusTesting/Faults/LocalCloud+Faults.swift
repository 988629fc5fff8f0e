import StratusCloudKit
import StratusCloudModel
import StratusWorkers

extension LocalCloud {
    /// What goes wrong: faults that wait for their requests.
    ///
    /// A request meets all faults that are meant for it, in the order in which they were injected, until one of them ends
    /// it. Each attempt of the library is a request.
    public final class Faults: Sendable {
        struct Waiting: Sendable {
            let number: Int
            let fault: Fault
            let calls: Calls
            let account: String?
            let device: String?
            /// How often it happens yet; nil for always.
            var remaining: Int?
        }

        private struct State {
            var waiting: [Waiting] = []
            var number = 0
        }

        private let state = Lock(State())

        /// Makes something go wrong.
        /// - Parameters:
        ///   - calls: with which requests.
        ///   - account: whose; nil for everybody's.
        ///   - device: from the device of this name; nil for any.
        ///   - times: how often; nil until it is removed.
        @discardableResult
        public func inject(
            _ fault: Fault, on calls: Calls = .any, of account: Account? = nil, device: String? = nil,
            times: Int? = 1
        ) -> Injection {
            precondition(times.map { $0 > 0 } ?? true, "a fault happens once at least")
            let account = account?.name
            let number = state.withLock { state in
                state.number += 1
                state.waiting.append(
                    Waiting(
                        number: state.number, fault: fault, calls: calls, account: account, device: device,
                        remaining: times))
                return state.number
            }
            return Injection(faults: self, number: number)
        }

        /// Nothing goes wrong any more.
        public func removeAll() { state.withLock { $0.waiting = [] } }

        /// What still waits to happen, for assertions that all of it did.
        public var pending: [Fault] { state.withLock { $0.waiting.filter { $0.remaining != nil }.map(\.fault) } }

        func remove(_ number: Int) { state.withLock { $0.waiting.removeAll { $0.number == number } } }

        /// What a request meets.
        func meet(
            _ calls: Calls, of account: String?, on device: DeviceName, _ recordIDs: [CKRecord.ID]
        ) -> Encounter {
            state.withLock { state in
                var encounter = Encounter()
                for index in state.waiting.indices where !encounter.isOver {
                    let waiting = state.waiting[index]
                    guard !waiting.calls.isDisjoint(with: calls),
                        waiting.account == nil || waiting.account == account,
                        waiting.device == nil || waiting.device == device.name,
                        encounter.add(waiting.fault, calls, recordIDs)
                    else { continue }
                    if let remaining = waiting.remaining { state.waiting[index].remaining = remaining - 1 }
                }
                state.waiting.removeAll { $0.remaining.map { $0 <= 0 } ?? false }
                return encounter
            }
        }
    }

    /// A fault that was injected.
    public struct Injection: Sendable {
        let faults: Faults
        let number: Int

        /// Lets it happen no more.
        public func remove() { faults.remove(number) }
    }
}

/// The faults that one request meets.
struct Encounter: Sendable {
    /// How long it is held up.
    var latency = Duration.zero
    /// What ends it before the cloud sees it.
    var failure: CloudTransportError?
    /// What takes the place of its answer when all is done.
    var lateFailure: CloudTransportError?
    /// Records that fail; a nil name stands for all that are saved.
    var recordErrors: [RecordFault] = []

    /// Whether nothing more can happen to it.
    var isOver: Bool { failure != nil || lateFailure != nil }

    /// Adds a fault; false if it does not concern the request.
    mutating func add(_ fault: LocalCloud.Fault, _ calls: LocalCloud.Calls, _ recordIDs: [CKRecord.ID]) -> Bool {
        switch fault.kind {
        case .latency(let duration): latency += duration
        case .error(.serverRecordChanged, _, let isLate) where calls.contains(.saveRecords):
            let error = CloudError(.serverRecordChanged, "this conflict was injected")
            recordErrors.append(RecordFault(recordName: nil, error: error, isLate: isLate))
        case .error(let code, let retryAfter, let isLate):
            let error = CloudTransportError.stated(code, "This error was injected.", retryAfter: retryAfter)
            if isLate { lateFailure = error } else { failure = error }
        case .offline: failure = .unreachable("the cloud is offline")
        case .drop(afterCommit: false): failure = .failed("the connection broke before the request arrived")
        case .drop(afterCommit: true): lateFailure = .failed("the connection broke before the answer arrived")
        case .refusal(let error): failure = .refused(error, requestUUID: nil)
        case .recordErrors(let error, of: nil, let isLate):
            guard !calls.isDisjoint(with: [.saveRecords, .uploadAssets]) else { return false }
            if calls.contains(.uploadAssets) {
                failure = .refused(error, requestUUID: nil)
            } else {
                recordErrors.append(RecordFault(recordName: nil, error: error, isLate: isLate))
            }
        case .recordErrors(let error, of: .some(let recordID), let isLate):
            guard recordIDs.contains(recordID) else { return false }
            recordErrors.append(RecordFault(recordName: recordID.recordName, error: error, isLate: isLate))
        }
        return true
    }
}
