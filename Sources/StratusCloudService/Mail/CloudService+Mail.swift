import StratusCloudModel
import StratusCloudStore

extension CloudService {
    /// Whether invitations can be sent by e-mail.
    public var sendsMail: Bool { mail.channel != nil }

    /// What became of mail since the start.
    public func mailStatistics() -> MailStatistics { mail.statistics }

    /// Takes up mail that an earlier server left, and from now on what comes.
    public func startMail(
        _ channel: any MailChannel, perUserAndDay: Int = MailLimits.perUserAndDay
    ) async throws(CloudError) {
        let queued = try await reading(.mail) { transaction in
            try transaction.entries(in: MailKey.queue, limit: MailLimits.queueLength).count
        }
        mail.set(channel, perUserAndDay: perUserAndDay, queued: queued)
        Task { await deliverMail() }
    }

    /// `records/invite`: sends invitations by e-mail to participants of a share who have not accepted. When it returns
    /// they are on the disk, and sent later, as long as the invitations stand. Apple's protocol has no such operation.
    ///
    /// - Throws: as ``resolveShareLinks(_:as:)`` for the link; `accessDenied` for who does not say who takes part;
    ///   `badRequest` without a mail server, for participants who are none, have accepted, or have no e-mail address;
    ///   `throttled` for more than a user may send or an address may get in a day. Then nothing is sent.
    public func sendInvitations(
        of shortGUID: String, to participantIDs: [String], as caller: Caller
    ) async throws(CloudError) {
        let visitor = try await visitor(caller)
        guard let channel = mail.channel else {
            throw CloudError(.badRequest, "this server sends no e-mail; send the link yourself")
        }
        guard participantIDs.count <= MailLimits.participantsPerRequest else {
            throw CloudError(
                .badRequest, "one request sends at most \(MailLimits.participantsPerRequest) invitations")
        }
        guard let zone = try await shareZone(shortGUID), zone.context == caller.context else {
            throw ShareVisitor.notFound
        }
        // Whoever stands there twice gets one.
        var seen: Set<String> = []
        let participantIDs = participantIDs.filter { seen.insert($0).inserted }
        let addresses = try await reading(visitor.partition(of: zone)) {
            try visitor.addresses(participantIDs, shortGUID, zone, channel, in: $0)
        }
        let now = environment.now()
        let letters = zip(participantIDs, addresses).map { id, address in
            StoredMail(
                .invitation(caller.context, shortGUID: shortGUID, participantID: id), to: address, queued: now)
        }
        try await queue(
            letters,
            for: "user \(caller.context.container.rawValue)/\(caller.context.environment.rawValue)/\(visitor.user)",
            limit: mail.perUserAndDay)
    }

    /// Puts mail into the queue that counts for its sender and its recipients.
    /// - Parameters:
    ///   - sender: the name that it is counted under.
    ///   - limit: mails that the sender may cause in a day.
    ///   - perAddress: mails to people who forgot their password that an address may get in a day, if it is one; nil counts
    ///     the mail with all others.
    func queue(
        _ letters: [StoredMail], for sender: String, limit: Int, perAddress: Int? = nil
    ) async throws(CloudError) {
        var counting = MailCounting(sender: sender, limit: limit, now: environment.now())
        if let perAddress { counting.perAddress = ("password reset to", perAddress) }
        try await queue(letters, counting)
    }

    /// Puts mail into the queue.
    /// - Parameter counting: nil for what the server tells people of its own accord.
    func queue(_ letters: [StoredMail], _ counting: MailCounting? = nil) async throws(CloudError) {
        let named = letters.map { (id: environment.random.uuid(), mail: $0) }
        guard mail.reserve(letters.count) else {
            throw CloudError(.tryAgainLater, "too many e-mails are waiting to be sent; try again later", retryAfter: 60)
        }
        do throws(CloudError) {
            try await writing(.mail) { transaction in
                try counting?.count(letters.map(\.address), in: transaction)
                for letter in named { transaction.set(MailKey.mail(due: letter.mail.queued, letter.id), letter.mail) }
            }
        } catch {
            mail.count { $0.queued -= letters.count }
            throw error
        }
        Task { await deliverMail() }
    }

    /// Sends the mail that is due. To be called now and then; new mail calls it, too.
    public func deliverMail() async {
        guard let channel = mail.begin() else { return }
        do throws(CloudError) {
            repeat {
                mail.listen()
                while try await deliverNext(channel) {}
            } while !mail.end()
        } catch {
            // Reported where it became a CloudError; what waits goes out the next time.
            mail.close()
        }
    }

    /// - Returns: whether there may be more to send.
    private func deliverNext(_ channel: any MailChannel) async throws(CloudError) -> Bool {
        let now = environment.now()
        let first = try await reading(.mail) { transaction -> StoredMail? in
            guard let entry = try transaction.entries(in: MailKey.queue, limit: 1).first,
                try MailKey.parts(entry.key).due <= now
            else { return nil }
            var mail = try StoredMail(stored: entry.value)
            mail.key = entry.key
            return mail
        }
        guard let first else { return false }
        guard let letter = try await letter(first) else {
            try await finish(first) { $0.withdrawn += 1 }
            return true
        }
        switch await channel.deliver(letter) {
        case .delivered: try await finish(first) { $0.delivered += 1 }
        case .refused(let reason):
            report(reason)
            try await finish(first) { $0.refused += 1 }
        case .later(let reason):
            report(reason)
            try await postpone(first, now: now)
        case .unavailable(let reason):
            report(reason)
            try await postpone(first, now: now)
            return false
        }
        return true
    }

    private func report(_ reason: String) { environment.report(MailFailure(reason: reason)) }

    private func finish(
        _ letter: StoredMail, _ change: @escaping @Sendable (inout MailStatistics) -> Void
    ) async throws(CloudError) {
        try await writing(.mail) { $0.clear(letter.key) }
        mail.count { statistics in
            statistics.queued -= 1
            change(&statistics)
        }
    }

    private func postpone(_ letter: StoredMail, now: Int64) async throws(CloudError) {
        let pause = MailLimits.pauses[min(Int(letter.attempts), MailLimits.pauses.count - 1)]
        guard now + pause < letter.queued + MailLimits.lifetime else {
            return try await finish(letter) { $0.expired += 1 }
        }
        var later = letter
        later.attempts += 1
        let postponed = later
        try await writing(.mail) { transaction in
            transaction.clear(postponed.key)
            transaction.set(MailKey.mail(due: now + pause, try MailKey.parts(postponed.key).id), postponed)
        }
        mail.count { $0.postponed += 1 }
    }

    /// What a mail says; nil if there is nothing to say any more.
    private func letter(_ stored: StoredMail) async throws(CloudError) -> MailLetter? {
        switch stored.subject {
        case .signUp(let shortGUID): return try await signUpLetter(stored, shortGUID: shortGUID).map { .signUp($0) }
        case .team(let hash): return try await teamLetter(stored, hash).map { .team($0) }
        case .passwordReset: return try await passwordResetLetter(stored).map { .passwordReset($0) }
        case .passwordNotice: return try await passwordNoticeLetter(stored).map { .passwordNotice($0) }
        case .invitation(let context, let shortGUID, let participantID):
            guard let zone = try await shareZone(shortGUID), zone.context == context else { return nil }
            let visitor = ShareVisitor(user: zone.owner, person: nil, context: context, now: environment.now())
            let id = try stored.id()
            return try await reading(visitor.partition(of: zone)) {
                try visitor.invitation(stored, id, shortGUID, participantID, zone, in: $0)
            }.map { .invitation($0) }
        }
    }
}

/// Why a mail was not sent, for the log.
struct MailFailure: Error, CustomStringConvertible {
    let reason: String

    var description: String { "a mail was not sent: \(reason)" }
}
