import StratusCSodium
import StratusWorkers

/// Hashes passwords with argon2id, on threads of its own and never more at once than it was given.
///
/// A hash takes about 20 ms and 19 MiB by intent, so a flood of sign-ins must not take the machine: over `capacity`
/// passwords hashing or waiting, a further one is refused at once with `busy`.
public final class PasswordHasher: Sendable {
    /// What one hash costs the server, and an attacker.
    public struct Cost: Sendable, Hashable {
        /// Memory in bytes, at least 8 KiB.
        public var memory: Int
        /// Passes over that memory, at least 1.
        public var passes: Int

        /// A cost other than the standard one.
        public init(memory: Int, passes: Int) {
            precondition(memory >= 8_192 && passes >= 1)
            self.memory = memory
            self.passes = passes
        }

        /// OWASP's recommendation: 19 MiB and 2 passes.
        public static let standard = Cost(memory: 19 << 20, passes: 2)
    }

    /// The cost of new hashes.
    public let cost: Cost
    /// Passwords that may be hashing or waiting together.
    public let capacity: Int

    private let pool: WorkerPool
    private let pending = Lock(0)

    /// A hasher with `threads` threads, which live as long as the process.
    public init(cost: Cost = .standard, threads: Int = 2, capacity: Int = 64) {
        precondition(capacity > 0)
        Sodium.ready()
        self.cost = cost
        self.capacity = capacity
        pool = WorkerPool(threads: threads)
    }

    /// The encoded hash (`$argon2id$v=19$m=…,t=…,p=1$salt$hash`) of `password` under a new random salt.
    ///
    /// Throws `passwordTooLong`, `busy`, or `failed` if the memory cannot be had.
    public func hash(_ password: String) async throws(CryptoError) -> String {
        let cost = cost
        return try await run(password) { bytes in Argon2id.hash(bytes, cost: cost) }
    }

    /// Whether `hash` was made of `password`. Throws `passwordTooLong`, `busy` or `invalidHash`.
    public func verify(_ password: String, hash: String) async throws(CryptoError) -> Bool {
        guard Argon2id.isEncodedHash(hash) else { throw CryptoError(.invalidHash, "no argon2id hash") }
        return try await run(password) { bytes in .success(Argon2id.verify(bytes, hash: hash)) }
    }

    /// Takes as long as `verify` and always says no: for names without an account, so that the time of a refusal does
    /// not tell which names exist. Throws `passwordTooLong` or `busy`, as `verify` would.
    @discardableResult
    public func dummyVerify(_ password: String) async throws(CryptoError) -> Bool {
        let hash = Argon2id.unmatchableHash(cost: cost)
        return try await run(password) { bytes in
            _ = Argon2id.verify(bytes, hash: hash)
            return .success(false)
        }
    }

    /// Whether `hash` was made at another cost and should be replaced at the next successful sign-in.
    public func needsRehash(_ hash: String) -> Bool {
        crypto_pwhash_str_needs_rehash(hash, UInt64(cost.passes), cost.memory) != 0
    }

    private func run<Value: Sendable>(
        _ password: String, _ body: @escaping @Sendable ([UInt8]) -> Result<Value, CryptoError>
    ) async throws(CryptoError) -> Value {
        let bytes = Array(password.utf8)
        guard bytes.count <= CryptoLimits.passwordLength else {
            throw CryptoError(.passwordTooLong, "a password has at most \(CryptoLimits.passwordLength) bytes")
        }
        try enter()
        let result = await withCheckedContinuation { continuation in
            pool.submit {
                let result = body(bytes)
                self.pending.withLock { $0 -= 1 }
                continuation.resume(returning: result)
            }
        }
        return try result.get()
    }

    private func enter() throws(CryptoError) {
        let capacity = capacity
        let isAdmitted = pending.withLock { pending in
            guard pending < capacity else { return false }
            pending += 1
            return true
        }
        if !isAdmitted { throw CryptoError(.busy, "\(capacity) passwords are being hashed or waiting") }
    }
}
