import StratusCloudKit
import StratusCloudModel
import StratusServiceTransport

/// What a record of a request fails with.
struct RecordFault: Sendable {
    /// Which; nil for all that are saved.
    let recordName: String?
    let error: CloudError
    /// Whether it is saved or deleted all the same.
    let isLate: Bool
}

/// Records of a request that are to fail, by their places in it.
struct FailingRecords {
    /// What is not carried out.
    private var errors: [Int: CloudError] = [:]
    /// What only the answer says.
    private var lateErrors: [Int: CloudError] = [:]

    init(_ faults: [RecordFault], among operations: [RecordOperation]) {
        for fault in faults {
            for (index, operation) in operations.enumerated() {
                let isMeant = fault.recordName.map { $0 == operation.record.recordName } ?? !operation.kind.isDeletion
                if isMeant { add(fault, at: index) }
            }
        }
    }

    init(_ faults: [RecordFault], among items: [LookupRecordsRequest.Item]) {
        for fault in faults {
            for (index, item) in items.enumerated() where item.recordName == fault.recordName {
                add(fault, at: index)
            }
        }
    }

    private mutating func add(_ fault: RecordFault, at index: Int) {
        if fault.isLate { lateErrors[index] = fault.error } else { errors[index] = fault.error }
    }

    /// Puts the errors in the places of what was found.
    func replace(in answer: CloudAnswer) -> CloudAnswer {
        guard case .records(var results) = answer else { return answer }
        for (index, error) in errors.merging(lateErrors, uniquingKeysWith: { early, _ in early })
        where results.indices.contains(index) {
            results[index] = .failed(recordName: nil, error)
        }
        return .records(results)
    }

    /// Carries out what is not to fail: nothing, where the batch is all or nothing. What is to fail afterwards does.
    func modify(
        _ modify: ModifyRecordsRequest, _ request: CloudRequest, by service: ServiceTransport
    ) async throws(CloudTransportError) -> CloudAnswer {
        var late = FailingRecords([], among: modify.operations)
        late.errors = lateErrors.filter { errors[$0.key] == nil }
        let answer = try await carryOut(modify, request, service)
        for (index, error) in late.errors where error.code == .conflict {
            late.errors[index]?.serverRecord = try await stored(modify.operations[index], modify, request, service)
        }
        return late.replace(in: answer)
    }

    private func carryOut(
        _ modify: ModifyRecordsRequest, _ request: CloudRequest, _ service: ServiceTransport
    ) async throws(CloudTransportError) -> CloudAnswer {
        guard !errors.isEmpty else { return try await service.send(request) }
        let isAtomic = modify.atomic ?? !(modify.zoneID ?? .default).isDefault
        var errors = errors
        for (index, error) in errors where error.code == .conflict {
            errors[index]?.serverRecord = try await stored(modify.operations[index], modify, request, service)
        }
        var rest = modify
        rest.operations = modify.operations.indices.filter { errors[$0] == nil }.map { modify.operations[$0] }
        var done: [RecordResult] = []
        if !isAtomic, !rest.operations.isEmpty {
            let inner = CloudRequest(.modifyRecords(rest), in: request.scope, timeout: request.timeout)
            if case .records(let results) = try await service.send(inner) { done = results }
        }
        var others = done.makeIterator()
        return .records(
            modify.operations.indices.map { index in
                let name = modify.operations[index].record.recordName
                if let error = errors[index] { return .failed(recordName: name, error) }
                return others.next()
                    ?? .failed(recordName: name, CloudError(.atomicError, "another record of the batch failed"))
            })
    }

    /// The record that a conflict is with.
    private func stored(
        _ operation: RecordOperation, _ modify: ModifyRecordsRequest, _ request: CloudRequest,
        _ service: ServiceTransport
    ) async throws(CloudTransportError) -> Boxed<Record>? {
        guard let name = operation.record.recordName else { return nil }
        let lookup = LookupRecordsRequest(
            items: [LookupRecordsRequest.Item(recordName: name)], zoneID: modify.zoneID)
        let answer = try await service.send(
            CloudRequest(.lookupRecords(lookup), in: request.scope, timeout: request.timeout))
        guard case .records(let results) = answer, case .saved(let record)? = results.first else { return nil }
        return Boxed(record)
    }
}
