import StratusCloudAssets
import StratusCloudCrypto
import StratusCloudModel
import StratusCloudStore

extension CloudService {
    /// Reads an upload address. Decides by itself, without the store, so that a forged one costs nothing.
    /// - Parameter continuing: whether the request goes on with an upload, which may be after the time to begin one.
    /// - Throws: `accessDenied` for an address that this cloud did not make, or that has expired.
    public func uploadTicket(_ text: String, continuing: Bool) throws(CloudError) -> AssetUploadTicket {
        guard let ticket = AssetUploadTicket(text, seals) else {
            throw CloudError(.accessDenied, "the upload address was not issued by this server")
        }
        let lifetime = continuing ? assetLimits.uploadLifetime : 0
        guard ticket.expires + lifetime > environment.now() else {
            throw CloudError(.accessDenied, "the upload address has expired; ask for a new one")
        }
        return ticket
    }

    /// Throws unless an asset as large as a request says, or larger, can be uploaded. Needs no store, so that it can be
    /// told before the bytes are sent.
    /// - Throws: `badRequest` if it is larger than any may be, `quotaExceeded` if the database has no room for it.
    public func checkSize(of part: AssetPart, for ticket: AssetUploadTicket) throws(CloudError) {
        let size = part.total ?? part.offset + (part.length ?? 0)
        guard size <= assetLimits.assetSize else {
            throw CloudError(
                .badRequest,
                "the asset has \(size) bytes, which is more than the maximum of \(assetLimits.assetSize)")
        }
        do {
            try ticket.room?.check(size)
        } catch {
            if let scope = ticket.room?.database { quotaRefusals[scope.index].increment() }
            throw error
        }
    }

    /// How far an upload is; at 0 if nothing has come yet.
    public func uploadState(_ ticket: AssetUploadTicket) async throws(CloudError) -> AssetUploadState {
        let journal = UploadJournal(ticket: ticket, now: environment.now(), limits: assetLimits)
        let upload = try await reading(ticket.partition) { try journal.current(in: $0) }
        guard let asset = upload?.asset, let size = upload?.offset else {
            return .partial(offset: upload?.offset ?? 0)
        }
        return .complete(receipted(asset, size: size, ticket, ownerOf: ticket.account))
    }

    /// Takes the bytes of an upload, which are durable when it returns.
    ///
    /// What came of a body that breaks off is kept, and the upload can go on there. So is what came of a request that
    /// another one for the same upload follows: the later one goes on, because its sender has given up the earlier.
    /// - Parameters:
    ///   - sha256: what the sender says the whole asset's digest is; nil if it says nothing.
    ///   - body: pieces of the request's body.
    ///   If reading them throws a `badRequest`, nothing of this request is kept.
    /// - Throws: `conflict` if it continues elsewhere or a later request has taken over, `quotaExceeded`, `badRequest` for
    ///   a wrong digest or size, `tryAgainLater` if the body breaks off or the disk is full.
    public func receiveAsset<Body: AsyncSequence & Sendable>(
        _ ticket: AssetUploadTicket, _ part: AssetPart, sha256: [UInt8]?, body: Body
    ) async throws(CloudError) -> AssetUploadState where Body.Element == [UInt8] {
        try await receive(ticket, part, sha256: sha256, body: body) { upload throws(CloudError) in
            try await self.writing(ticket.partition) { try upload.finish(in: $0) }
            await self.finished(upload)
            return .complete(self.receipted(upload))
        } orElse: {
            .partial(offset: $0)
        }
    }

    /// Takes the bytes of an upload as ``receiveAsset(_:_:sha256:body:)`` does, and leaves it to the caller to finish
    /// the upload.
    /// - Parameters:
    ///   - finish: Is called with all bytes of the upload, while no other request can continue it.
    ///   - pause: Is called if more is to come, with the number of bytes that are durable.
    func receive<Body: AsyncSequence & Sendable, Outcome: Sendable>(
        _ ticket: AssetUploadTicket, _ part: AssetPart, sha256: [UInt8]?, body: Body,
        finish: @escaping @Sendable (ReceivedUpload) async throws(CloudError) -> Outcome,
        orElse pause: @escaping @Sendable (Int64) throws(CloudError) -> Outcome
    ) async throws(CloudError) -> Outcome where Body.Element == [UInt8] {
        try checkSize(of: part, for: ticket)
        return try await uploadTurns.take(ticket.upload) { () async throws(CloudError) in
            var reception = try await self.beginReception(ticket, part)
            try await reception.receive(body)
            guard part.isLast else { return try pause(try await reception.pause()) }
            return try await finish(try await reception.complete(expecting: sha256))
        }
    }

    private func beginReception(
        _ ticket: AssetUploadTicket, _ part: AssetPart
    ) async throws(CloudError) -> AssetReception {
        try await register(ticket.partition)
        let newFile = try newAssetFile()
        let journal = UploadJournal(ticket: ticket, now: environment.now(), limits: assetLimits)
        let announced = part.total ?? min(part.bound ?? .max, assetLimits.assetSize)
        let file = try await writing(ticket.partition) { transaction in
            try journal.begin(at: part.offset, announced: announced, newFile: newFile, in: transaction)
        }
        let owner = AssetOwner(ticket.partition)
        let writer = try await mapping {
            try await self.assets.write(file, of: owner, from: part.offset, expecting: part.length)
        }
        return AssetReception(service: self, ticket: ticket, file: file, writer: writer, part: part)
    }

    /// The asset with the receipt that saves it in a record.
    func receipted(_ upload: ReceivedUpload) -> Asset {
        receipted(upload.asset, size: upload.size, upload.ticket, ownerOf: upload.ticket.account)
    }

    /// The asset with a receipt that saves it in any record of its zone: for a save that chooses the record itself.
    func receipted(_ upload: ReceivedUpload, inAnyRecordOf zone: ZoneNumber) -> Asset {
        let ticket = upload.ticket
        return receipted(
            upload.asset, size: upload.size,
            AssetUploadTicket(
                partition: ticket.partition, account: ticket.account, upload: ticket.upload,
                binding: AssetBinding(.zone, zone: zone, recordName: "", recordType: "", fieldName: ""),
                expires: ticket.expires), ownerOf: ticket.account)
    }

    func receipted(_ asset: AssetID, size: Int64, _ ticket: AssetUploadTicket, ownerOf owner: String) -> Asset {
        var answer = Asset(fileChecksum: asset.fileChecksum, size: size)
        answer.receipt = AssetReceipt.text(
            of: ticket.upload, asset, size: size, in: ticket.partition, account: ticket.account, ticket.binding, seals)
        addMarks(to: &answer, ownerOf: owner)
        return answer
    }
}
