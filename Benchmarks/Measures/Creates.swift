/// Rounds that create records and count afterwards what is really there.
enum Creates {
    static func stratus(
        _ bench: Bench, _ batch: Int, _ indexes: Article.Indexes, name: String = "Stratus",
        inspect: @escaping (StoredRows) throws -> Void = { _ in }
    ) -> Rounds.Contestant {
        Rounds.Contestant(name: name) {
            let fresh = try bench.freshStratus(indexes)
            defer { fresh.remove() }
            let script = fresh.server.creates(batch)
            // In development this makes the schema, too.
            let first = try bench.sample(fresh.server, fresh.server.creates(1), seconds: 1, connections: 1)
            let sample = try bench.sample(fresh.server, script)
            fresh.server.stop()
            let rows = try StoredRows(fresh.server.data)
            try check(first.result.successes + sample.result.successes * batch, made: try rows.countArticles(), name)
            try inspect(rows)
            return sample
        }
    }

    static func etcd(_ bench: Bench, _ batch: Int) -> Rounds.Contestant {
        Rounds.Contestant(name: "etcd, HTTP gateway") {
            let etcd = try Etcd(in: bench.directory)
            defer { etcd.stop() }
            _ = try bench.sample(etcd, etcd.creates(1), seconds: 1, connections: 1)
            let before = try etcd.count()
            let sample = try bench.sample(etcd, etcd.creates(batch))
            try check(sample.result.successes * batch, made: try etcd.count() - before, etcd.name)
            return sample
        }
    }

    static func kinto(_ bench: Bench, _ kinto: Kinto) -> Rounds.Contestant {
        Rounds.Contestant(name: kinto.name) {
            _ = try bench.sample(kinto, kinto.creates, seconds: 1)
            let before = try kinto.count()
            let sample = try bench.sample(kinto, kinto.creates)
            try check(sample.result.successes, made: try kinto.count() - before, kinto.name)
            return sample
        }
    }

    /// Requests under way at the end were carried out and not counted, so there may be more.
    private static func check(_ answered: Int, made: Int, _ name: String) throws {
        guard made >= answered else {
            throw BenchmarkError("\(name) acknowledged \(answered) creates, but holds only \(made) more records")
        }
    }
}
