#include <algorithm>
#include <array>
#include <cstring>
#include <iterator>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include <leveldb/cache.h>
#include <leveldb/comparator.h>
#include <leveldb/db.h>
#include <leveldb/filter_policy.h>
#include <leveldb/write_batch.h>

#include "Tables/keys.h"
#include "files.h"

using leveldb::Slice;
using leveldb::Status;

// Bits in a table's filter for each key: one lookup in a hundred of a key that is not there reads for nothing.
static const int kFilterBits = 10;

// LevelDB's own order, without a call for each comparison.
class WordwiseComparator final : public leveldb::Comparator {
  public:
    int Compare(const Slice &left, const Slice &right) const override { return stratus::compareBytes(left, right); }

    // The same order, so the same databases.
    const char *Name() const override { return leveldb::BytewiseComparator()->Name(); }

    void FindShortestSeparator(std::string *start, const Slice &limit) const override {
        leveldb::BytewiseComparator()->FindShortestSeparator(start, limit);
    }

    void FindShortSuccessor(std::string *key) const override {
        leveldb::BytewiseComparator()->FindShortSuccessor(key);
    }
};

// LevelDB's own filter, of some rows only. A filter spares a read of what is not there; of rows that are read in ranges it
// would be built and kept for nothing.
//
// It has the name of LevelDB's: tables that were made with that have filters of all rows, which say the same of these.
class SelectiveFilter final : public leveldb::FilterPolicy {
  public:
    SelectiveFilter(const uint8_t *unfiltered_kinds, size_t count)
        : filter_(leveldb::NewBloomFilterPolicy(kFilterBits)) {
        for (size_t place = 0; place < count; place += 1) isLeftOut_[unfiltered_kinds[place]] = true;
    }

    const char *Name() const override { return filter_->Name(); }

    void CreateFilter(const Slice *keys, int count, std::string *result) const override {
        std::vector<Slice> filtered;
        filtered.reserve(static_cast<size_t>(count));
        std::copy_if(keys, keys + count, std::back_inserter(filtered), [this](const Slice &key) { return isIn(key); });
        if (!filtered.empty()) filter_->CreateFilter(filtered.data(), static_cast<int>(filtered.size()), result);
    }

    bool KeyMayMatch(const Slice &key, const Slice &filter) const override {
        return !isIn(key) || filter_->KeyMayMatch(key, filter);
    }

  private:
    bool isIn(const Slice &key) const {
        if (key.empty()) return true;
        const size_t kind = 1 + static_cast<uint8_t>(key[0]);
        return kind >= key.size() || !isLeftOut_[static_cast<uint8_t>(key[kind])];
    }

    const std::unique_ptr<const leveldb::FilterPolicy> filter_;
    std::array<bool, 256> isLeftOut_{};
};

// Never destroyed: at the end of the process LevelDB's own thread may still be at work.
static const WordwiseComparator &kComparator = *new WordwiseComparator;

struct cleveldb_store {
    explicit cleveldb_store(const cleveldb_options &options)
        : files(options), cache(leveldb::NewLRUCache(options.block_cache_size)),
          filter(new SelectiveFilter(options.unfiltered_kinds, options.unfiltered_kind_count)),
          quietLogSize(options.write_buffer_size / 3 * 2) {}

    // In this order, because the database uses the others until it is gone.
    stratus::Files files;
    std::unique_ptr<leveldb::Cache> cache;
    std::unique_ptr<const leveldb::FilterPolicy> filter;
    // Where the memory that LevelDB collects writes in may soon be full. It then begins a new log, when the old one is
    // synced, and readers would wait for that: so from here on what was appended is synced before the next is.
    const size_t quietLogSize;
    std::unique_ptr<leveldb::DB> database;

    std::shared_ptr<const leveldb::Snapshot> takeSnapshot() {
        leveldb::DB *const taken = database.get();
        return {taken->GetSnapshot(), [taken](const leveldb::Snapshot *given) { taken->ReleaseSnapshot(given); }};
    }

    std::mutex lock;
    // What was appended, and what of it is durable; released before the database.
    std::shared_ptr<const leveldb::Snapshot> appended, durable;
};

// A reader's share of a snapshot.
struct cleveldb_snapshot {
    std::shared_ptr<const leveldb::Snapshot> shared;
};

struct cleveldb_iterator {
    std::unique_ptr<leveldb::Iterator> iterator;
    std::string lower, upper;
    bool reverse;
    bool hasBegun = false;
    // Whether a row came that cannot be there.
    bool isDamaged = false;
};

struct cleveldb_batch {
    // A key in one piece; until the next call.
    Slice row(const void *prefix, size_t prefix_size, const void *key, size_t key_size) {
        row_.clear();
        if (prefix_size > 0) row_.append(static_cast<const char *>(prefix), prefix_size);
        row_.append(static_cast<const char *>(key), key_size);
        return row_;
    }

    leveldb::WriteBatch writes;

  private:
    std::string row_;
};

static leveldb::ReadOptions readOptions(cleveldb_snapshot *snapshot) {
    leveldb::ReadOptions options;
    options.verify_checksums = true;
    options.snapshot = snapshot == nullptr ? nullptr : snapshot->shared.get();
    return options;
}

// Of the blocks that are read and are not in the cache, one in so many is put there. What is wanted often is there soon all
// the same; what is read here and there costs no room that it would be pushed out of before it is wanted again.
static const uint32_t kReadsPerKept = 8;

static bool keepsBlock() {
    // Marsaglia's xorshift: chance, so that no order of reads leaves the same blocks out each time.
    thread_local uint32_t state = 2463534242;
    state ^= state << 13;
    state ^= state >> 17;
    state ^= state << 5;
    return state % kReadsPerKept == 0;
}

static void report(const Status &status, cleveldb_status *result) {
    result->code = status.ok()              ? cleveldb_ok
                   : status.IsCorruption()  ? cleveldb_corruption
                   : status.IsIOError()     ? cleveldb_io_error
                   : status.IsNotFound()    ? cleveldb_io_error
                                            : cleveldb_other_failure;
    result->system_error = stratus::Files::systemError(status);
    const std::string message = status.ok() ? "" : status.ToString();
    const size_t size = std::min(message.size(), sizeof result->message - 1);
    std::memcpy(result->message, message.data(), size);
    result->message[size] = 0;
}

cleveldb_store *cleveldb_open(const char *directory, const cleveldb_options *settings, cleveldb_status *status) {
    auto store = std::make_unique<cleveldb_store>(*settings);
    leveldb::Options options;
    options.env = &store->files;
    options.comparator = &kComparator;
    options.create_if_missing = settings->may_create;
    options.paranoid_checks = true;
    options.write_buffer_size = settings->write_buffer_size;
    options.max_open_files = settings->open_tables;
    options.max_file_size = settings->table_size;
    options.block_size = settings->block_size;
    options.block_cache = store->cache.get();
    options.filter_policy = store->filter.get();
    options.compression = leveldb::kNoCompression;
    leveldb::DB *database = nullptr;
    const Status opened = leveldb::DB::Open(options, directory, &database);
    report(opened, status);
    if (!opened.ok()) return nullptr;
    store->database.reset(database);
    store->appended = store->durable = store->takeSnapshot();
    return store.release();
}

cleveldb_hold *cleveldb_make_hold() { return new cleveldb_hold; }

void cleveldb_free_hold(cleveldb_hold *hold) { delete hold; }

void cleveldb_change_hold(cleveldb_hold *hold, int32_t by) { hold->holders.fetch_add(by); }

void cleveldb_close(cleveldb_store *store) { delete store; }

cleveldb_snapshot *cleveldb_take_snapshot(cleveldb_store *store) {
    const std::lock_guard<std::mutex> guard(store->lock);
    return new cleveldb_snapshot{store->durable};
}

void cleveldb_release_snapshot(cleveldb_snapshot *snapshot) { delete snapshot; }

int32_t cleveldb_get(
    cleveldb_store *store, cleveldb_snapshot *snapshot, const void *key, size_t key_size, const void **value,
    size_t *value_size, cleveldb_status *status) {
    thread_local std::string found;
    leveldb::ReadOptions options = readOptions(snapshot);
    options.fill_cache = keepsBlock();
    const Status result = store->database->Get(options, Slice(static_cast<const char *>(key), key_size), &found);
    if (result.ok()) {
        *value = found.data();
        *value_size = found.size();
        return 1;
    }
    // A table that is missing is reported as a failure to open it, not like this.
    if (result.IsNotFound()) return 0;
    report(result, status);
    return -1;
}

cleveldb_iterator *cleveldb_iterate(
    cleveldb_store *store, cleveldb_snapshot *snapshot, const void *lower, size_t lower_size, const void *upper,
    size_t upper_size, bool reverse, bool is_scan) {
    leveldb::ReadOptions options = readOptions(snapshot);
    options.fill_cache = !is_scan && keepsBlock();
    auto result = std::make_unique<cleveldb_iterator>();
    result->iterator.reset(store->database->NewIterator(options));
    result->lower.assign(static_cast<const char *>(lower), lower_size);
    result->upper.assign(static_cast<const char *>(upper), upper_size);
    result->reverse = reverse;
    return result.release();
}

static void begin(cleveldb_iterator &self) {
    leveldb::Iterator &iterator = *self.iterator;
    iterator.Seek(self.reverse ? self.upper : self.lower);
    if (!self.reverse) return;
    if (iterator.Valid()) {
        iterator.Prev();
    } else if (iterator.status().ok()) {
        iterator.SeekToLast();
    }
}

bool cleveldb_next(
    cleveldb_iterator *self, const void **key, size_t *key_size, const void **value, size_t *value_size) {
    leveldb::Iterator &iterator = *self->iterator;
    if (!self->hasBegun) {
        begin(*self);
        self->hasBegun = true;
    } else if (iterator.Valid()) {
        if (self->reverse) {
            iterator.Prev();
        } else {
            iterator.Next();
        }
    }
    if (!iterator.Valid()) return false;
    const Slice found = iterator.key();
    const bool isBelow = found.compare(self->lower) < 0, isAbove = found.compare(self->upper) >= 0;
    self->isDamaged = self->reverse ? isAbove : isBelow;
    if (isBelow || isAbove) return false;
    *key = found.data();
    *key_size = found.size();
    const Slice content = iterator.value();
    *value = content.data();
    *value_size = content.size();
    return true;
}

void cleveldb_end_iteration(cleveldb_iterator *iterator, cleveldb_status *status) {
    const Status ended = iterator->iterator->status();
    const bool isDamaged = ended.ok() && iterator->isDamaged;
    report(isDamaged ? Status::Corruption("rows of a table are not in order") : ended, status);
    delete iterator;
}

cleveldb_batch *cleveldb_make_batch() { return new cleveldb_batch; }

void cleveldb_free_batch(cleveldb_batch *batch) { delete batch; }

void cleveldb_set(
    cleveldb_batch *batch, const void *prefix, size_t prefix_size, const void *key, size_t key_size, const void *value,
    size_t value_size) {
    batch->writes.Put(
        batch->row(prefix, prefix_size, key, key_size), Slice(static_cast<const char *>(value), value_size));
}

void cleveldb_clear(cleveldb_batch *batch, const void *prefix, size_t prefix_size, const void *key, size_t key_size) {
    batch->writes.Delete(batch->row(prefix, prefix_size, key, key_size));
}

size_t cleveldb_batch_size(const cleveldb_batch *batch) { return batch->writes.ApproximateSize(); }

void cleveldb_empty_batch(cleveldb_batch *batch) { batch->writes.Clear(); }

void cleveldb_append_batch(cleveldb_store *store, cleveldb_batch *batch, cleveldb_status *status) {
    Status result;
    if (store->files.logSize() >= store->quietLogSize) result = store->files.syncLog();
    if (result.ok()) result = store->database->Write(leveldb::WriteOptions(), &batch->writes);
    report(result, status);
    if (!result.ok() && store->files.hasUnknownLog()) status->code = cleveldb_unknown_outcome;
    if (!result.ok()) return;
    auto appended = store->takeSnapshot();
    const std::lock_guard<std::mutex> guard(store->lock);
    store->appended.swap(appended);
}

void cleveldb_sync_batches(cleveldb_store *store, cleveldb_status *status) {
    std::shared_ptr<const leveldb::Snapshot> appended;
    {
        const std::lock_guard<std::mutex> guard(store->lock);
        appended = store->appended;
    }
    const Status result = store->files.syncLog();
    report(result, status);
    if (!result.ok() && store->files.hasUnknownLog()) status->code = cleveldb_unknown_outcome;
    if (!result.ok()) return;
    const std::lock_guard<std::mutex> guard(store->lock);
    store->durable.swap(appended);
}

void cleveldb_flush(cleveldb_store *store) {
    // So that readers do not wait for it when a new log begins. A failure is told to whoever syncs next.
    static_cast<void>(store->files.syncLog());
    // Compacting a range begins with moving what is in memory to a table; there is nothing in this one.
    const Slice beyond("\xFF", 1);
    store->database->CompactRange(&beyond, &beyond);
}
