import CloudKit
import StratusCloudModel
import StratusWorkers
import Testing

@testable import StratusCloudKit

@Suite struct FailureTests {
    private func code(_ failure: CloudTransportError, saving: Bool = false) async -> CKError? {
        let database = CKContainer(identifier: "iCloud.x", transport: NoTransport(failure: failure))
            .privateCloudDatabase
        do {
            if saving { try await database.save(note("a")) } else { _ = try await database.allRecordZones() }
            return nil
        } catch {
            return error as? CKError
        }
    }

    @Test(
        "112: every refusal has its code",
        arguments: [
            (CloudError.Code.accessDenied, CKError.Code.permissionFailure), (.atomicError, .batchRequestFailed),
            (.authenticationFailed, .notAuthenticated), (.authenticationRequired, .notAuthenticated),
            (.badRequest, .invalidArguments), (.conflict, .serverRecordChanged), (.exists, .serverRecordChanged),
            (.internalError, .serverRejectedRequest), (.notFound, .unknownItem), (.quotaExceeded, .quotaExceeded),
            (.throttled, .requestRateLimited), (.tryAgainLater, .serviceUnavailable),
            (.uniqueFieldError, .constraintViolation), (.validatingReferenceError, .referenceViolation),
            (.zoneBusy, .zoneBusy),
            (.zoneNotFound, .zoneNotFound),
        ])
    func codes(_ refused: CloudError.Code, _ expected: CKError.Code) async throws {
        let error = await code(.refused(CloudError(refused, "because", retryAfter: 30), requestUUID: "u"))
        #expect(error?.code == expected && error?.retryAfterSeconds == 30)
        #expect(error?.userInfo["ServerErrorDescription"] as? String == "because")
        #expect(error?.userInfo["RequestUUID"] as? String == "u")
    }

    @Test func theWayThere() async {
        #expect(await code(.unreachable("x"))?.code == .networkUnavailable)
        #expect(await code(.failed("x"))?.code == .networkFailure)
        #expect(await code(.failed("x"), saving: true)?.code == .serverResponseLost)
        #expect(await code(.cancelled)?.code == .operationCancelled)
        #expect(await code(.unconfigured("x"))?.code == .badContainer)
    }

    @Test func expiredTokensHaveACodeOfTheirOwn() async {
        let refusal = CloudError(.badRequest, "x", extensionCode: .changeTokenExpired)
        #expect(await code(.refused(refusal, requestUUID: nil))?.code == .changeTokenExpired)
    }

    @Test func readsAreTriedAgainAndWritesAreNot() async {
        let count = Lock(0)
        let transport = NoTransport(failure: .failed("x")) { count.withLock { $0 += 1 } }
        let database = CKContainer(identifier: "iCloud.x", transport: transport).privateCloudDatabase
        _ = try? await database.allRecordZones()
        #expect(count.withLock { $0 } == 1 + RetryPolicy.quickAttempts)
        count.withLock { $0 = 0 }
        _ = try? await database.save(note("a"))
        #expect(count.withLock { $0 } == 1)
    }
}

@Suite struct RetryPolicyTests {
    private let quick = RetryPolicy(isPatient: false, resourceTimeout: 100)
    private let patient = RetryPolicy(isPatient: true, resourceTimeout: 100)

    private func wait(
        _ policy: RetryPolicy, _ error: CloudTransportError, isMutating: Bool = false, attempt: Int = 1,
        elapsed: Double = 0
    ) -> Double? {
        policy.wait(after: error, isMutating: isMutating, attempt: attempt, elapsed: elapsed, chance: 1)
    }

    private func busy(_ seconds: Int?) -> CloudTransportError {
        .refused(CloudError(.tryAgainLater, "busy", retryAfter: seconds), requestUUID: nil)
    }

    @Test func whoWaitsIsNotMadeToWaitLong() {
        #expect(wait(quick, busy(nil)) == RetryPolicy.firstWait)
        #expect(wait(quick, busy(2), attempt: 2) == 2)
        #expect(wait(quick, busy(3)) == nil)
        #expect(wait(quick, busy(nil), attempt: 3) == nil)
        #expect(wait(quick, .unreachable("")) == nil)
    }

    @Test func theBackgroundWaitsAsLongAsItMay() {
        #expect(wait(patient, busy(30), attempt: 9) == 30)
        #expect(wait(patient, busy(30), elapsed: 71) == nil)
        #expect(wait(patient, .unreachable(""), attempt: 30) == RetryPolicy.longestWait)
    }

    @Test func whoSaysHowLongItMayTakeIsNotMadeToWaitLonger() {
        #expect(wait(quick, busy(2), elapsed: 98) == 2)
        #expect(wait(quick, busy(2), elapsed: 98.1) == nil)
        let configuration = CKOperation.Configuration()
        #expect(configuration.values.callOptions(.default).requestDuration == .seconds(60))
        configuration.timeoutIntervalForResource = 5
        #expect(configuration.values.callOptions(.default).requestDuration == .seconds(5))
        configuration.timeoutIntervalForRequest = 3
        #expect(configuration.values.callOptions(.default).requestDuration == .seconds(3))
        configuration.timeoutIntervalForRequest = -1
        #expect(configuration.values.callOptions(.default).requestDuration == .milliseconds(1))
    }

    @Test func whatMayHaveHappenedIsNotDoneTwice() {
        #expect(wait(patient, .failed(""), isMutating: true) == nil)
        #expect(wait(patient, .failed("")) != nil)
        #expect(wait(patient, busy(1), isMutating: true) == 1)
        #expect(wait(patient, .refused(CloudError(.badRequest, ""), requestUUID: nil)) == nil)
        #expect(wait(patient, .cancelled) == nil)
    }
}
