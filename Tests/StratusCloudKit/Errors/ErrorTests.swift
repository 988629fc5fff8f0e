import CloudKit
import Testing

@Suite struct ErrorTests {
    let error: any Error = NSError(
        domain: CKErrorDomain, code: CKError.Code.unknownItem.rawValue,
        userInfo: [CKErrorRetryAfterKey: NSNumber(value: 2.5)])

    @Test func everyWayToCatchMatches() {
        #expect((error as? CKError)?.code == .unknownItem)
        #expect(error is CKError)
        #expect((error as NSError).domain == "CKErrorDomain" && (error as NSError).code == 11)
        do { throw error } catch CKError.unknownItem {} catch { Issue.record("the pattern does not match") }
        do { throw error } catch let error as CKError where error.code == .unknownItem {} catch {
            Issue.record("the cast does not match")
        }
        do { throw error } catch let error as CKError {
            switch error.code {
            case .unknownItem: break
            default: Issue.record("another code")
            }
        } catch { Issue.record("the cast does not match") }
        let result: Result<Int, any Error> = .failure(error)
        if case .failure(CKError.unknownItem) = result {} else { Issue.record("the result's pattern does not match") }
        #expect((error as? CKError)?.retryAfterSeconds == 2.5)
    }

    @Test func otherErrorsAreNone() {
        #expect((NSError(domain: "x", code: 11) as any Error) as? CKError == nil)
    }

    @Test func errorsCanBeMade() {
        let made = CKError(.networkFailure, userInfo: [CKPartialErrorsByItemIDKey: [AnyHashable("a"): error]])
        #expect(made.code == .networkFailure && made.errorCode == 4 && CKError.errorDomain == CKErrorDomain)
        #expect(made.partialErrorsByItemID?["a"] != nil)
        #expect(CKError(.zoneBusy) == CKError(.zoneBusy))
    }

    @Test func numbersAreApples() {
        #expect((0...38).compactMap { CKError.Code(rawValue: $0)?.rawValue } == Array(1...37))
        #expect(CKError.Code.zoneNotFound.rawValue == 26 && CKError.Code.participantAlreadyInvited.rawValue == 37)
    }
}
