import StratusCloudCrypto
import Testing

@Suite struct PasswordHasherTests {
    /// Cheap, so that the tests are quick; the standard cost has a test of its own.
    private let hasher = PasswordHasher(cost: .init(memory: 8_192, passes: 1), threads: 1)

    @Test func theRightPasswordIsKnownAgainAndOthersAreNot() async throws {
        for password in ["", "correct horse", "pä\u{0}ss", String(repeating: "x", count: 1_024)] {
            let hash = try await hasher.hash(password)
            #expect(try await hasher.verify(password, hash: hash))
            #expect(try await !hasher.verify("other", hash: hash))
        }
        let hash = try await hasher.hash("pä\u{0}ss")
        #expect(try await !hasher.verify("pä", hash: hash))
    }

    @Test func theSamePasswordHashesDifferently() async throws {
        #expect(try await hasher.hash("p") != hasher.hash("p"))
    }

    @Test func standardCost() async throws {
        let standard = PasswordHasher(threads: 1)
        let hash = try await standard.hash("secret")
        #expect(hash.hasPrefix("$argon2id$v=19$m=19456,t=2,p=1$"))
        #expect(!standard.needsRehash(hash))
        #expect(hasher.needsRehash(hash))
        #expect(try await hasher.verify("secret", hash: hash), "a hash carries its own cost")
    }

    /// Made with `argon2 saltsaltsalt -id -t 2 -k 64 -p 1` for "password".
    @Test func aHashFromElsewhereIsVerified() async throws {
        let hash =
            "$argon2id$v=19$m=64,t=2,p=1$c2FsdHNhbHRzYWx0$ZFT9zBR9fPRPAj1A31EcIRifCgzCYBajheI14qbDvVs"
        #expect(try await hasher.verify("password", hash: hash))
        #expect(try await !hasher.verify("Password", hash: hash))
    }

    @Test func everyChangedCharacterOfAHashIsNoticed() async throws {
        let hash = try await hasher.hash("secret")
        let start = try #require(hash.lastIndex(of: "$"))
        for index in hash.indices[hash.index(after: start)...] {
            var tampered = hash
            tampered.replaceSubrange(index...index, with: hash[index] == "A" ? "B" : "A")
            let isAccepted = (try? await hasher.verify("secret", hash: tampered)) ?? false
            #expect(!isAccepted)
        }
    }

    @Test(arguments: ["", "$argon2id$", "$argon2i$v=19$m=8,t=1,p=1$AAAAAAAAAAAAAAAAAAAAAA$AAAA", "$2b$10$abcdefghijk"])
    func otherTextIsNoHash(hash: String) async throws {
        let error = await #expect(throws: CryptoError.self) { try await hasher.verify("p", hash: hash) }
        #expect(error?.code == .invalidHash)
    }

    @Test func longPasswordsAreRefused() async throws {
        let password = String(repeating: "x", count: CryptoLimits.passwordLength + 1)
        let error = await #expect(throws: CryptoError.self) { try await hasher.hash(password) }
        #expect(error?.code == .passwordTooLong)
        let other = await #expect(throws: CryptoError.self) { try await hasher.dummyVerify(password) }
        #expect(other?.code == .passwordTooLong)
    }

    @Test func theDummyAlwaysSaysNo() async throws {
        #expect(try await !hasher.dummyVerify(""))
        #expect(try await !hasher.dummyVerify("secret"))
    }

    @Test func overTheCapacityPasswordsAreRefusedAndLaterAcceptedAgain() async throws {
        let hasher = PasswordHasher(cost: .init(memory: 1 << 20, passes: 1), threads: 1, capacity: 2)
        let outcomes = await withTaskGroup(of: CryptoError.Code?.self) { group in
            for _ in 0..<100 {
                group.addTask {
                    do throws(CryptoError) {
                        _ = try await hasher.hash("p")
                        return nil
                    } catch {
                        return error.code
                    }
                }
            }
            var outcomes: [CryptoError.Code?] = []
            for await outcome in group { outcomes.append(outcome) }
            return outcomes
        }
        #expect(outcomes.contains(nil))
        #expect(outcomes.contains(.busy))
        #expect(Set(outcomes) == [nil, .busy])
        #expect(try await hasher.hash("p").hasPrefix("$argon2id$"))
    }
}
