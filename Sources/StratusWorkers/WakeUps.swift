import Glibc

/// Wake-ups of threads that a thread puts off while it ends many waits in a row.
///
/// A thread that is woken often takes the processor from the one that woke it, at once, does the little there is so far
/// and sleeps again. Woken when all is ready, it does everything in one go.
public enum WakeUps {
    private final class Gathered {
        var wakeUps: [() -> Void] = []
    }

    private static let key: pthread_key_t = {
        var key = pthread_key_t()
        pthread_key_create(&key, nil)
        return key
    }()

    /// Runs `body`, then what it has put off; inside of another, the outer one does.
    public static func gathering(_ body: () -> Void) {
        guard pthread_getspecific(key) == nil else { return body() }
        let gathered = Gathered()
        pthread_setspecific(key, Unmanaged.passUnretained(gathered).toOpaque())
        body()
        pthread_setspecific(key, nil)
        for wakeUp in gathered.wakeUps { wakeUp() }
    }

    /// Wakes a thread: at the end of the current ``gathering(_:)``, or now.
    public static func add(_ wakeUp: @escaping () -> Void) {
        guard let gathered = pthread_getspecific(key) else { return wakeUp() }
        Unmanaged<Gathered>.fromOpaque(gathered).takeUnretainedValue().wakeUps.append(wakeUp)
    }
}
