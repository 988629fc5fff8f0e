/// A part of a pool's work that waits by itself: however much is in one lane, the next of another is not far.
final class WorkerLane: TaskExecutor {
    private let queue: WorkQueue
    private let number: Int

    init(_ queue: WorkQueue, number: Int) {
        self.queue = queue
        self.number = number
    }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        let executor = asUnownedTaskExecutor()
        queue.add(toLane: number) { job.runSynchronously(on: executor) }
    }
}
