/// Answers that wait in memory until their clients take them.
extension Exchange {
    /// Counts an answer that is about to be sent, and cuts off clients that are slow to take theirs if there are too
    /// many. On the I/O thread.
    func holdAnswer(_ answer: Answer) {
        guard answer.bufferedBytes > HTTPServerLimits.uncountedBytes, let head else { return }
        let client = client(of: head)
        let (id, cut) = core.answers.withLock {
            $0.add(
                self, bytes: answer.bufferedBytes, client: client ?? ClientAddress.unixText, hasShare: client != nil)
        }
        waitingAnswer = id
        for exchange in cut {
            core.counters.cutAnswers.count()
            core.registry.shutDown(exchange.connection)
        }
    }

    /// The answer is sent, or will never be. On the I/O thread.
    func releaseAnswer() {
        guard let id = waitingAnswer else { return }
        core.answers.withLock { $0.remove(id) }
        waitingAnswer = nil
    }
}
