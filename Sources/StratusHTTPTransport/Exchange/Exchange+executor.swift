/// A quick handler's task runs on its connection's I/O thread, also after it has waited: that thread must be woken for
/// the answer anyway, and each further thread on the way costs a save some microseconds.
extension Exchange: TaskExecutor {
    /// Takes a job of the task, for Swift's runtime. On any thread, not under the lock.
    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        let isAwaited = connection.withLock {
            jobs.append(job)
            guard isLeft || isOver else { return isSuspended }
            runJobsElsewhere()
            return false
        }
        if isAwaited { connection.resumptions.add(self) }
    }

    /// On the I/O thread, not under the lock.
    func run(_ job: UnownedJob) { job.runSynchronously(on: asUnownedTaskExecutor()) }

    /// Hands what is left of the task, of an exchange that the I/O thread has left, to the worker pool. Under the lock.
    func runJobsElsewhere() {
        for job in jobs { core.executor.submit { self.run(job) } }
        jobs = []
    }
}
