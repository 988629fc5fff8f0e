#include "files.h"
#include "readahead.h"

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <memory>
#include <mutex>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>
#include <vector>

using leveldb::Slice;
using leveldb::Status;

namespace stratus {
namespace {

constexpr mode_t kOwnerOnly = 0600;
// Nobody waits for a compaction as long as there is room for writes, but it would keep a core from requests for
// milliseconds.
constexpr int kCompactionNiceness = 5;
// Written before a sync asks for it, so that a large table does not collect in memory.
constexpr size_t kBufferSize = 256 * 1024;
// What a call of the system is given at most: Linux takes blocks of memory as large as what is written, and large ones come
// slowly where a host lends them.
constexpr size_t kSliceSize = 64 * 1024;
// Zeros that are put behind the writes of a log, for the next ones to take the place of: a sync of a file that does not
// grow waits for its bytes alone, not for the file system's own log.
constexpr size_t kZerosAhead = 1024 * 1024;
// A write as large as this waits for its own bytes more than for anything that growing adds.
constexpr size_t kLargeWrite = kZerosAhead / 8;
// Memory that a log keeps for its next write.
constexpr size_t kKeptPiece = 2 * 1024 * 1024;

bool endsWith(const std::string &name, const char *end) {
    const size_t size = std::strlen(end);
    return name.size() >= size && name.compare(name.size() - size, size, end) == 0;
}

// A descriptor that is closed with its owner.
class Descriptor {
  public:
    explicit Descriptor(int number) : number_(number) {}
    ~Descriptor() {
        if (number_ >= 0) close(number_);
    }
    Descriptor(const Descriptor &) = delete;
    Descriptor &operator=(const Descriptor &) = delete;
    int number() const { return number_; }
    // 0, or the system's error.
    int closeNow() {
        const int number = number_;
        number_ = -1;
        return number >= 0 && close(number) != 0 ? errno : 0;
    }

  private:
    int number_;
};

// Read from its beginning to its end: logs, manifests and the name of the present one.
class SequentialFile final : public leveldb::SequentialFile {
  public:
    SequentialFile(Files &files, std::string name, int descriptor)
        : files_(files), name_(std::move(name)), descriptor_(descriptor) {}

    Status Read(size_t size, Slice *result, char *scratch) override {
        if (int error = files_.fault(cleveldb_read, name_)) return Files::failure(error, name_);
        ssize_t count;
        do count = read(descriptor_.number(), scratch, size);
        while (count < 0 && errno == EINTR);
        if (count < 0) return Files::failure(errno, name_);
        *result = Slice(scratch, static_cast<size_t>(count));
        return Status::OK();
    }

    Status Skip(uint64_t size) override {
        if (lseek(descriptor_.number(), static_cast<off_t>(size), SEEK_CUR) < 0) return Files::failure(errno, name_);
        return Status::OK();
    }

  private:
    Files &files_;
    const std::string name_;
    Descriptor descriptor_;
};

// A table. Not mapped into memory: pages that are only mapped count as the process' own.
class RandomAccessFile final : public leveldb::RandomAccessFile {
  public:
    RandomAccessFile(Files &files, std::string name, int descriptor)
        : files_(files), name_(std::move(name)), descriptor_(descriptor) {}

    Status Read(uint64_t offset, size_t size, Slice *result, char *scratch) const override {
        *result = Slice(scratch, 0);
        if (int error = files_.fault(cleveldb_read, name_)) return Files::failure(error, name_);
        const ssize_t count = readAhead(number_, descriptor_.number(), offset, size, scratch);
        if (count < 0) return Files::failure(errno, name_);
        *result = Slice(scratch, static_cast<size_t>(count));
        return Status::OK();
    }

  private:
    Files &files_;
    const std::string name_;
    const Descriptor descriptor_;
    const uint64_t number_ = nextFileNumber();
};

// What is written to a file, at its end.
class Appending {
  public:
    Appending(Files &files, std::string name, int descriptor, uint64_t size)
        : files_(files), name_(std::move(name)), descriptor_(descriptor), written_(size) {}

  protected:
    // 0, or the system's error.
    int writeAt(uint64_t place, const std::string &bytes) const {
        size_t done = 0;
        while (done < bytes.size()) {
            const size_t size = std::min(bytes.size() - done, kSliceSize);
            const ssize_t count =
                pwrite(descriptor_.number(), bytes.data() + done, size, static_cast<off_t>(place + done));
            if (count >= 0) {
                done += static_cast<size_t>(count);
            } else if (errno != EINTR) {
                return errno;
            }
        }
        return 0;
    }

    Status syncDirectoryOnce() {
        if (isInDirectory_) return Status::OK();
        const size_t slash = name_.rfind('/');
        const std::string directory = slash == std::string::npos ? "." : name_.substr(0, slash);
        Descriptor descriptor(open(directory.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
        if (descriptor.number() < 0 || fsync(descriptor.number()) != 0) return Files::failure(errno, directory);
        isInDirectory_ = true;
        return Status::OK();
    }

    // 0, or the system's error.
    int syncContent() {
        if (int error = files_.fault(cleveldb_sync, name_)) return error;
        return fdatasync(descriptor_.number()) == 0 ? 0 : errno;
    }

    Status failure(int error) const { return Files::failure(error, name_); }

    Files &files_;
    const std::string name_;
    Descriptor descriptor_;
    // Where the last write ends.
    uint64_t written_;
    // The error of the write that failed, 0 if none did.
    int failure_ = 0;

  private:
    bool isInDirectory_ = false;
};

// Tables and manifests. What is appended reaches the system in large pieces, and with the sync that makes it durable:
// LevelDB asks for a flush after each piece of a record, and nothing here is ever wanted without a sync.
class WritableFile final : public leveldb::WritableFile, Appending {
  public:
    using Appending::Appending;

    ~WritableFile() override { Close(); }

    Status Append(const Slice &data) override {
        buffer_.append(data.data(), data.size());
        return buffer_.size() >= kBufferSize ? write() : Status::OK();
    }

    Status Flush() override { return Status::OK(); }

    Status Sync() override {
        Status status = write();
        if (status.ok()) status = syncDirectoryOnce();
        if (!status.ok()) return status;
        const int error = syncContent();
        return error == 0 ? Status::OK() : failure(error);
    }

    Status Close() override {
        if (descriptor_.number() < 0) return Status::OK();
        const Status status = write();
        const int error = descriptor_.closeNow();
        return !status.ok() || error == 0 ? status : failure(error);
    }

  private:
    Status write() {
        // After a failure nobody knows what is in the file.
        if (failure_ != 0) return failure(failure_);
        failure_ = files_.fault(cleveldb_append, name_);
        if (failure_ == 0) failure_ = writeAt(written_, buffer_);
        const size_t count = buffer_.size();
        buffer_.clear();
        if (failure_ != 0) return failure(failure_);
        beginWriteback(written_, count);
        written_ += count;
        return Status::OK();
    }

    // A table goes to the disk piece by piece while it is made, behind what others wait for. Left to the sync at its end
    // it would go at once, and the sync of a log, for which saves wait, would stand behind all of it.
    void beginWriteback(uint64_t place, size_t size) const {
        // Nothing depends on it, so neither does anything on its failing.
        static_cast<void>(sync_file_range(
            descriptor_.number(), static_cast<off64_t>(place), static_cast<off64_t>(size), SYNC_FILE_RANGE_WRITE));
    }

    std::string buffer_;
};

}  // namespace

// A log: appended to by one thread, written and synced by another.
class Log final : Appending {
  public:
    Log(Files &files, std::string name, int descriptor) : Appending(files, std::move(name), descriptor, 0) {}

    void append(const Slice &data) {
        const std::lock_guard<std::mutex> guard(appending_);
        appended_.append(data.data(), data.size());
        total_ += data.size();
    }

    size_t total() {
        const std::lock_guard<std::mutex> guard(appending_);
        return total_;
    }

    // Makes durable what was appended before, in one piece, so that what the log has beyond its last sync can be removed.
    Status sync() {
        const std::lock_guard<std::mutex> guard(syncing_);
        // What follows a failure would lie behind what is missing.
        if (failure_ != 0) return failure(failure_);
        {
            const std::lock_guard<std::mutex> guard(appending_);
            piece_.clear();
            piece_.swap(appended_);
        }
        if (piece_.empty()) return Status::OK();
        const Status status = write();
        if (piece_.capacity() > kKeptPiece) piece_ = std::string();
        return status;
    }

  private:
    Status write() {
        failure_ = files_.fault(cleveldb_append, name_);
        if (failure_ == 0) failure_ = writeAt(written_, piece_);
        if (failure_ != 0) {
            // So that the log ends with the last write that was acknowledged.
            if (ftruncate(descriptor_.number(), static_cast<off_t>(written_)) != 0) files_.noteUnknownLog();
            return failure(failure_);
        }
        written_ += piece_.size();
        if (written_ > size_) {
            size_ = written_;
            if (hasRoomAhead_ && piece_.size() < kLargeWrite) putZerosAhead();
        }
        const Status status = syncDirectoryOnce();
        failure_ = status.ok() ? syncContent() : EIO;
        if (failure_ == 0) return Status::OK();
        files_.noteUnknownLog();
        return status.ok() ? failure(failure_) : status;
    }

    // Whoever reads the log stops at zeros. Where there is no room for them, the file grows with each write.
    void putZerosAhead() {
        static const std::string zeros(kZerosAhead / 16, '\0');
        for (const uint64_t end = written_ + kZerosAhead; size_ < end; size_ += zeros.size()) {
            if (files_.fault(cleveldb_extend, name_) == 0 && writeAt(size_, zeros) == 0) continue;
            hasRoomAhead_ = false;
            // What is left behind when this fails is zeros, too.
            if (ftruncate(descriptor_.number(), static_cast<off_t>(written_)) == 0) size_ = written_;
            return;
        }
    }

    std::mutex syncing_, appending_;
    // What was appended since the last sync, and how much in all; under `appending_`.
    std::string appended_;
    size_t total_ = 0;
    // What is being written; this and all below under `syncing_`.
    std::string piece_;
    // Where the file ends, zeros included.
    uint64_t size_ = 0;
    bool hasRoomAhead_ = true;
};

namespace {

// What LevelDB appends to. It is told that all is well, because it is not asked for a sync: that is `Files::syncLog`.
class LogFile final : public leveldb::WritableFile {
  public:
    explicit LogFile(std::shared_ptr<Log> log) : log_(std::move(log)) {}

    Status Append(const Slice &data) override {
        log_->append(data);
        return Status::OK();
    }

    Status Flush() override { return Status::OK(); }
    Status Sync() override { return log_->sync(); }
    // What was not synced was not acknowledged.
    Status Close() override { return Status::OK(); }

  private:
    const std::shared_ptr<Log> log_;
};

// The store's directory is locked as a whole, before a database in it is opened.
class NoLock final : public leveldb::FileLock {};

// What LevelDB would tell of its compactions.
class NoLogger final : public leveldb::Logger {
  public:
    void Logv(const char *, std::va_list) override {}
};

}  // namespace

Files::Files(const cleveldb_options &options)
    : EnvWrapper(leveldb::Env::Default()), fault_(options.fault), faultContext_(options.fault_context),
      hold_(options.hold) {}

int Files::fault(cleveldb_operation operation, const std::string &name) const {
    return fault_ == nullptr ? 0 : fault_(faultContext_, operation, name.c_str());
}

Status Files::failure(int error, const std::string &name) {
    const std::string reason = std::strerror(error) + std::string(" [") + std::to_string(error) + "]";
    return error == ENOENT ? Status::NotFound(name, reason) : Status::IOError(name, reason);
}

int Files::systemError(const Status &status) {
    if (!status.IsIOError() && !status.IsNotFound()) return 0;
    const std::string text = status.ToString();
    const size_t begin = text.rfind('[');
    return begin == std::string::npos ? 0 : std::atoi(text.c_str() + begin + 1);
}

Status Files::NewSequentialFile(const std::string &name, leveldb::SequentialFile **result) {
    *result = nullptr;
    const int descriptor = open(name.c_str(), O_RDONLY | O_CLOEXEC);
    if (descriptor < 0) return failure(errno, name);
    *result = new SequentialFile(*this, name, descriptor);
    return Status::OK();
}

Status Files::NewRandomAccessFile(const std::string &name, leveldb::RandomAccessFile **result) {
    *result = nullptr;
    const int descriptor = open(name.c_str(), O_RDONLY | O_CLOEXEC);
    if (descriptor < 0) {
        const Status status = failure(errno, name);
        // A table that has gone must not look like a key that is not there.
        return status.IsNotFound() ? Status::IOError(name, "the table has gone") : status;
    }
    *result = new RandomAccessFile(*this, name, descriptor);
    return Status::OK();
}

Status Files::NewWritableFile(const std::string &name, leveldb::WritableFile **result) {
    *result = nullptr;
    const bool isLog = endsWith(name, ".log");
    if (isLog) {
        // No log begins before the one that it follows is whole: only the end of the newest one may be torn.
        const Status status = syncLog();
        if (!status.ok()) return status;
    }
    if (int error = fault(cleveldb_create, name)) return failure(error, name);
    const int descriptor = open(name.c_str(), O_TRUNC | O_WRONLY | O_CREAT | O_CLOEXEC, kOwnerOnly);
    if (descriptor < 0) return failure(errno, name);
    if (isLog) {
        *result = beginLog(std::make_shared<Log>(*this, name, descriptor));
    } else {
        *result = new WritableFile(*this, name, descriptor, 0);
    }
    return Status::OK();
}

Status Files::NewAppendableFile(const std::string &name, leveldb::WritableFile **result) {
    *result = nullptr;
    const int descriptor = open(name.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, kOwnerOnly);
    if (descriptor < 0) return failure(errno, name);
    struct stat status;
    if (fstat(descriptor, &status) != 0) {
        const int error = errno;
        close(descriptor);
        return failure(error, name);
    }
    *result = new WritableFile(*this, name, descriptor, static_cast<uint64_t>(status.st_size));
    return Status::OK();
}

leveldb::WritableFile *Files::beginLog(std::shared_ptr<Log> log) {
    const std::lock_guard<std::mutex> guard(logLock_);
    log_ = std::move(log);
    return new LogFile(log_);
}

std::shared_ptr<Log> Files::log() {
    const std::lock_guard<std::mutex> guard(logLock_);
    return log_;
}

Status Files::syncLog() {
    const std::shared_ptr<Log> log = this->log();
    return log == nullptr ? Status::OK() : log->sync();
}

size_t Files::logSize() {
    const std::shared_ptr<Log> log = this->log();
    return log == nullptr ? 0 : log->total();
}

Status Files::RemoveFile(const std::string &name) {
    // LevelDB lists the directory each time it has made files superfluous, so what stays is found again.
    if (hold_ != nullptr && hold_->holders.load() > 0) return Status::OK();
    return leveldb::EnvWrapper::RemoveFile(name);
}

void Files::Schedule(void (*function)(void *), void *argument) {
    struct Work {
        void (*function)(void *);
        void *argument;
    };
    leveldb::EnvWrapper::Schedule(
        [](void *given) {
            const std::unique_ptr<Work> work(static_cast<Work *>(given));
            // LevelDB has one thread for this. It may go on as it is where the system refuses.
            thread_local const int refused = setpriority(PRIO_PROCESS, 0, kCompactionNiceness);
            static_cast<void>(refused);
            work->function(work->argument);
        },
        new Work{function, argument});
}

Status Files::LockFile(const std::string &, leveldb::FileLock **lock) {
    *lock = new NoLock;
    return Status::OK();
}

Status Files::UnlockFile(leveldb::FileLock *lock) {
    delete lock;
    return Status::OK();
}

Status Files::NewLogger(const std::string &, leveldb::Logger **result) {
    *result = new NoLogger;
    return Status::OK();
}

}  // namespace stratus
