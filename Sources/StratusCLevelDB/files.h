// The files under a database: read with pread, synced with their directory, with the system's errors kept.
#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <string>

#include <leveldb/env.h>

#include "include/CLevelDB.h"

struct cleveldb_hold {
    std::atomic<int32_t> holders{0};
};

namespace stratus {

class Log;

class Files final : public leveldb::EnvWrapper {
  public:
    explicit Files(const cleveldb_options &options);

    leveldb::Status NewSequentialFile(const std::string &name, leveldb::SequentialFile **result) override;
    leveldb::Status NewRandomAccessFile(const std::string &name, leveldb::RandomAccessFile **result) override;
    leveldb::Status NewWritableFile(const std::string &name, leveldb::WritableFile **result) override;
    leveldb::Status NewAppendableFile(const std::string &name, leveldb::WritableFile **result) override;
    leveldb::Status RemoveFile(const std::string &name) override;
    leveldb::Status LockFile(const std::string &name, leveldb::FileLock **lock) override;
    leveldb::Status UnlockFile(leveldb::FileLock *lock) override;
    leveldb::Status NewLogger(const std::string &name, leveldb::Logger **result) override;
    void Schedule(void (*function)(void *), void *argument) override;

    // Makes durable what LevelDB has appended to its log before. On any thread.
    leveldb::Status syncLog();
    // Bytes that LevelDB has appended to its log.
    size_t logSize();

    // The error that a fault puts in the place of an operation, 0 for none.
    int fault(cleveldb_operation operation, const std::string &name) const;
    // A status that tells a system's error.
    static leveldb::Status failure(int error, const std::string &name);
    // The system's error that a status tells, 0 if it tells none. LevelDB keeps statuses and hands them out later, on
    // other threads, so that the error must travel in them.
    static int systemError(const leveldb::Status &status);

    // A log whose sync failed, or from which what was not synced could not be removed: what it holds after a crash is
    // unknown.
    void noteUnknownLog() { hasUnknownLog_.store(true); }
    bool hasUnknownLog() const { return hasUnknownLog_.load(); }

  private:
    leveldb::WritableFile *beginLog(std::shared_ptr<Log> log);
    std::shared_ptr<Log> log();

    int32_t (*const fault_)(void *, int32_t, const char *);
    void *const faultContext_;
    const cleveldb_hold *const hold_;
    std::atomic<bool> hasUnknownLog_{false};
    std::mutex logLock_;
    // The one that LevelDB appends to.
    std::shared_ptr<Log> log_;
};

}  // namespace stratus
