#pragma once
#include <sqlite3.h>

/// SQLITE_STATIC and SQLITE_TRANSIENT are casts, which Swift does not import.
static inline int stratus_sqlite3_bind_blob_transient(sqlite3_stmt *statement, int index, const void *bytes, int count) {
    return sqlite3_bind_blob(statement, index, bytes, count, SQLITE_TRANSIENT);
}

static inline int stratus_sqlite3_bind_text_transient(sqlite3_stmt *statement, int index, const void *bytes, int count) {
    // A null pointer would bind NULL instead of an empty text.
    return sqlite3_bind_text(statement, index, bytes ? (const char *)bytes : "", count, SQLITE_TRANSIENT);
}

static inline void stratus_sqlite3_result_blob_transient(sqlite3_context *context, const void *bytes, int count) {
    sqlite3_result_blob(context, bytes, count, SQLITE_TRANSIENT);
}

static inline void stratus_sqlite3_result_text_transient(sqlite3_context *context, const void *bytes, int count) {
    sqlite3_result_text(context, bytes ? (const char *)bytes : "", count, SQLITE_TRANSIENT);
}

static inline int stratus_sqlite3_bind_blob_static(sqlite3_stmt *statement, int index, const void *bytes, int count) {
    return sqlite3_bind_blob(statement, index, bytes, count, SQLITE_STATIC);
}

/// Functions with variable arguments, which Swift does not import.

/// Switches off the counting of SQLite's memory, which takes a lock shared by all connections at every allocation.
/// Must come before the library's first use.
static inline int stratus_sqlite3_disable_memory_statistics(void) {
    return sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 0);
}

/// Keeps the write-ahead log as it is when the last connection closes.
static inline int stratus_sqlite3_disable_checkpoint_on_close(sqlite3 *database) {
    return sqlite3_db_config(database, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, (int *)0);
}

/// Makes damaged files rather fail than give wrong answers, and keeps SQL from changing the schema's own tables.
static inline int stratus_sqlite3_enable_defensive(sqlite3 *database) {
    return sqlite3_db_config(database, SQLITE_DBCONFIG_DEFENSIVE, 1, (int *)0);
}
