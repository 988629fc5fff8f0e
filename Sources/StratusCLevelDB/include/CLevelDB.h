// LevelDB for one store: a database, the files it lies in, and its caches, without exceptions and without C++.
//
// LevelDB's own C interface gives no system error, reads tables by mapping them into memory, and creates a database
// where an old one has lost a file. A store needs the opposite of each.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct cleveldb_store cleveldb_store;
typedef struct cleveldb_snapshot cleveldb_snapshot;
typedef struct cleveldb_iterator cleveldb_iterator;
typedef struct cleveldb_batch cleveldb_batch;
typedef struct cleveldb_hold cleveldb_hold;

enum cleveldb_code {
    cleveldb_ok = 0,
    cleveldb_corruption = 1,
    // A call of the system failed; its error is beside it.
    cleveldb_io_error = 2,
    // What was written is perhaps durable and perhaps not.
    cleveldb_unknown_outcome = 3,
    cleveldb_other_failure = 4,
};

typedef struct {
    int32_t code;
    // 0 if no call of the system failed.
    int32_t system_error;
    // Closed by a zero byte, cut if it is longer.
    char message[256];
} cleveldb_status;

// What is about to be done with a file, for faults. Extending is putting zeros behind what a log holds.
enum cleveldb_operation { cleveldb_create, cleveldb_append, cleveldb_sync, cleveldb_read, cleveldb_extend };

typedef struct {
    // Bytes written from which on they are moved from memory to a table.
    size_t write_buffer_size;
    size_t block_cache_size;
    // Tables kept open, each with its index and filter in memory.
    int open_tables;
    // Bytes in a table.
    size_t table_size;
    // Bytes of a table that are read, and checked, for one of its keys; fewer where rows are large.
    size_t block_size;
    // Kinds of rows that are left out of tables' filters, only needed for the call: what follows the partition's number in
    // a key, which begins with its own length, is the kind.
    const uint8_t *unfiltered_kinds;
    size_t unfiltered_kind_count;
    // Whether a database may be made if there is none.
    bool may_create;
    // Nil, or called before something is done with a file of this name; an error number that is not 0 makes it fail.
    int32_t (*fault)(void *context, int32_t operation, const char *name);
    void *fault_context;
    // Nil, or what keeps files from being removed; it must outlive the store.
    const cleveldb_hold *hold;
} cleveldb_options;

// While it is held, files that a database needs no longer stay where they are. They are removed with the next ones after
// that.
cleveldb_hold *cleveldb_make_hold(void);
void cleveldb_free_hold(cleveldb_hold *hold);
// Adds 1 or -1 to how many hold it.
void cleveldb_change_hold(cleveldb_hold *hold, int32_t by);

// Nil with a status if it fails.
cleveldb_store *cleveldb_open(const char *directory, const cleveldb_options *options, cleveldb_status *status);
// Nothing of it may be in use.
void cleveldb_close(cleveldb_store *store);

// Of what is durable. To be released before the store is closed.
cleveldb_snapshot *cleveldb_take_snapshot(cleveldb_store *store);
void cleveldb_release_snapshot(cleveldb_snapshot *snapshot);

// Without a snapshot, of what was appended, durable or not. 1 if there is a value, which stays until the thread's next call of this function; 0 if there is none; -1 for a failure.
int32_t cleveldb_get(
    cleveldb_store *store, cleveldb_snapshot *snapshot, const void *key, size_t key_size, const void **value,
    size_t *value_size, cleveldb_status *status);

// Over the keys from `lower` up to `upper`, which is not among them; backwards if `reverse`. Its memory for `upper` and
// `lower` is its own. With `is_scan`, nothing that is read is put into the cache.
cleveldb_iterator *cleveldb_iterate(
    cleveldb_store *store, cleveldb_snapshot *snapshot, const void *lower, size_t lower_size, const void *upper,
    size_t upper_size, bool reverse, bool is_scan);
// False at the end and for a failure. Key and value stay until the next call.
bool cleveldb_next(
    cleveldb_iterator *iterator, const void **key, size_t *key_size, const void **value, size_t *value_size);
// Tells whether it ended because of a failure.
void cleveldb_end_iteration(cleveldb_iterator *iterator, cleveldb_status *status);

// Writes that are made together, in the order added. A key is given in two pieces.
cleveldb_batch *cleveldb_make_batch(void);
void cleveldb_free_batch(cleveldb_batch *batch);
void cleveldb_set(
    cleveldb_batch *batch, const void *prefix, size_t prefix_size, const void *key, size_t key_size, const void *value,
    size_t value_size);
void cleveldb_clear(cleveldb_batch *batch, const void *prefix, size_t prefix_size, const void *key, size_t key_size);
// Bytes in the batch; a few if nothing was added.
size_t cleveldb_batch_size(const cleveldb_batch *batch);
// Takes out everything, and keeps the memory for what is added next.
void cleveldb_empty_batch(cleveldb_batch *batch);
// Appends writes, to be seen at once by those who read without a snapshot. By one thread at a time.
void cleveldb_append_batch(cleveldb_store *store, cleveldb_batch *batch, cleveldb_status *status);
// Makes durable what was appended before, in order, and each batch all or not at all. By one thread at a time, which need
// not be the one that appends. After a failure the store holds what is not durable, and must be closed.
void cleveldb_sync_batches(cleveldb_store *store, cleveldb_status *status);

// Moves what is in memory, and so in the log, to tables.
void cleveldb_flush(cleveldb_store *store);

// CRC-32C of bytes behind those of which `before` is the checksum; 0 for none.
uint32_t cleveldb_crc32c(uint32_t before, const void *bytes, size_t size);
// A checksum as logs and tables hold it. Those of bytes that hold their own checksum are weak, so LevelDB stores another
// number.
uint32_t cleveldb_mask_crc32c(uint32_t checksum);

#ifdef __cplusplus
}
#endif
