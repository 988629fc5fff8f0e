import CloudKit
import Testing

/// Errors as programs take them apart.
@Suite struct ErrorSurface {
    private func thrown(_ code: CKError.Code, _ userInfo: [String: Any] = [:]) throws {
        throw NSError(domain: CKErrorDomain, code: code.rawValue, userInfo: userInfo)
    }

    @Test func clauses() {
        var met: [String] = []
        for code in [CKError.Code.unknownItem, .serverRecordChanged, .zoneBusy, .limitExceeded, .zoneNotFound] {
            do {
                try thrown(code, [CKErrorRetryAfterKey: 3])
            } catch CKError.unknownItem {
                met.append("pattern")
            } catch let error as CKError where error.code == .serverRecordChanged {
                met.append("condition")
            } catch let error as CKError where error.code == CKError.Code.zoneBusy {
                met.append("retry \(error.retryAfterSeconds ?? 0)")
            } catch let error as CKError {
                switch error.code {
                case .limitExceeded: met.append("switch")
                case .networkFailure, .networkUnavailable: met.append("network")
                default: met.append("\(error.errorCode)")
                }
            } catch { met.append("other") }
        }
        #expect(met == ["pattern", "condition", "retry 3.0", "switch", "26"])
    }

    @Test func casts() throws {
        let error: any Error = CKError(.partialFailure)
        #expect((error as? CKError)?.code == .partialFailure)
        #expect((error as NSError).code == CKError.partialFailure.rawValue)
        #expect((error as NSError).domain == CKErrorDomain)
        #expect((error as NSError) is CKError)
        #expect(CKError.Code(rawValue: (error as NSError).code) == .partialFailure)
        #expect(CKError.Code(rawValue: 0) == nil)
        let failure: Result<Void, any Error> = .failure(NSError(domain: CKErrorDomain, code: 21))
        guard case .failure(let expired as CKError) = failure else { throw error }
        #expect(expired.code == .changeTokenExpired)
        switch expired {
        case CKError.changeTokenExpired: break
        default: Issue.record("not matched")
        }
    }

    @Test func contents() {
        let record = CKRecord(recordType: "Note")
        let inner = CKError(_nsError: NSError(domain: CKErrorDomain, code: CKError.Code.zoneNotFound.rawValue))
        let userInfo: [String: Any] = [
            CKPartialErrorsByItemIDKey: [record.recordID as AnyHashable: inner as any Error],
            CKRecordChangedErrorServerRecordKey: record, CKRecordChangedErrorClientRecordKey: record,
            CKRecordChangedErrorAncestorRecordKey: record, CKErrorRetryAfterKey: 2.5,
            CKErrorUserDidResetEncryptedDataKey: true, NSLocalizedDescriptionKey: "why",
        ]
        let error = CKError(.serverRecordChanged, userInfo: userInfo)
        #expect(error.serverRecord === record)
        #expect(error.clientRecord === record)
        #expect(error.ancestorRecord === record)
        #expect(error.retryAfterSeconds == 2.5)
        #expect((error.partialErrorsByItemID?[record.recordID] as? CKError)?.code == .zoneNotFound)
        #expect(error.partialErrorsByItemID?.values.compactMap { $0 as? CKError }.count == 1)
        #expect(error.userInfo[CKErrorRetryAfterKey] as? TimeInterval == 2.5)
        #expect(error.errorUserInfo[CKErrorUserDidResetEncryptedDataKey] as? Bool == true)
        #expect(error.localizedDescription == "why")
        #expect(error == CKError(.serverRecordChanged, userInfo: userInfo))
        #expect(Set([error]).contains(error))
    }
}
