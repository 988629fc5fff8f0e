import Dispatch

/// Runs an agent on a queue of its own, so that waiting for the disk blocks no thread of other tasks.
final class DriveExecutor: SerialExecutor {
    private let queue = DispatchQueue(label: "org.stratus.drive")

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        queue.async { job.runSynchronously(on: self.asUnownedSerialExecutor()) }
    }

    func asUnownedSerialExecutor() -> UnownedSerialExecutor { UnownedSerialExecutor(ordinary: self) }
}
