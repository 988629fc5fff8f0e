import Glibc

/// How often threads of this process, those that have ended among them, went to sleep, and so were woken.
enum WakeUps {
    static func count() -> Int {
        var usage = rusage()
        getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &usage)
        return usage.ru_nvcsw
    }
}
