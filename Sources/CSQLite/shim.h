#pragma once
#include <sqlite3.h>

/// SQLITE_STATIC and SQLITE_TRANSIENT are casts, which Swift does not import.
static inline int stratus_sqlite3_bind_blob_transient(sqlite3_stmt *statement, int index, const void *bytes, int count) {
    return sqlite3_bind_blob(statement, index, bytes, count, SQLITE_TRANSIENT);
}

static inline int stratus_sqlite3_bind_blob_static(sqlite3_stmt *statement, int index, const void *bytes, int count) {
    return sqlite3_bind_blob(statement, index, bytes, count, SQLITE_STATIC);
}
