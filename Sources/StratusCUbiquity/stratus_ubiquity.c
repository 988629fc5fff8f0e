#define _GNU_SOURCE
#include "stratus_ubiquity.h"

#include <errno.h>
#include <fcntl.h>
#ifdef __GLIBC__
#include <malloc.h>
#endif
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/xattr.h>

ssize_t stratus_get_attribute(const char *path, const char *name, void *value, size_t size) {
    return lgetxattr(path, name, value, size);
}

int stratus_set_attribute(const char *path, const char *name, const void *value, size_t size) {
    return lsetxattr(path, name, value, size, 0);
}

int stratus_remove_attribute(const char *path, const char *name) { return lremovexattr(path, name); }

int stratus_exchange(const char *one, const char *other) {
    return renameat2(AT_FDCWD, one, AT_FDCWD, other, RENAME_EXCHANGE);
}

int stratus_peer_user(int socket, uid_t *user) {
    struct ucred peer;
    socklen_t size = sizeof peer;
    if (getsockopt(socket, SOL_SOCKET, SO_PEERCRED, &peer, &size) != 0) return -1;
    *user = peer.uid;
    return 0;
}

int stratus_rename_new(int from, const char *old_name, int to, const char *new_name) {
    return renameat2(from, old_name, to, new_name, RENAME_NOREPLACE);
}

int stratus_exchange_in(int from, const char *one, int to, const char *other) {
    return renameat2(from, one, to, other, RENAME_EXCHANGE);
}

uint64_t stratus_mount_device(int directory) {
    struct statx status, parent;
    if (statx(directory, "", AT_EMPTY_PATH, STATX_INO, &status) != 0) return 0;
    // No file system has the device 0:0.
    uint64_t device = (uint64_t)status.stx_dev_major << 32 | status.stx_dev_minor;
#ifdef STATX_ATTR_MOUNT_ROOT
    if (status.stx_attributes_mask & STATX_ATTR_MOUNT_ROOT) {
        return status.stx_attributes & STATX_ATTR_MOUNT_ROOT ? device : 0;
    }
#endif
    if (statx(directory, "..", 0, STATX_INO, &parent) != 0) return 0;
    bool isRoot = status.stx_dev_major != parent.stx_dev_major || status.stx_dev_minor != parent.stx_dev_minor;
    return isRoot ? device : 0;
}

int64_t stratus_birth_time(int directory, const char *name) {
    struct statx status;
    if (statx(directory, name, AT_SYMLINK_NOFOLLOW, STATX_BTIME, &status) != 0) return 0;
    if ((status.stx_mask & STATX_BTIME) == 0) return 0;
    return (int64_t)((unsigned long long)status.stx_btime.tv_sec * 1000000000 + status.stx_btime.tv_nsec);
}

void stratus_begin_writing(int file) { sync_file_range(file, 0, 0, SYNC_FILE_RANGE_WRITE); }

int stratus_is_being_written(int file) {
    // A program that opens the file while the lease is held lets the kernel send SIGIO, which would end this process.
    struct sigaction current;
    if (sigaction(SIGIO, NULL, &current) == 0 && current.sa_handler == SIG_DFL) signal(SIGIO, SIG_IGN);
    if (fcntl(file, F_SETLEASE, F_RDLCK) == 0) {
        fcntl(file, F_SETLEASE, F_UNLCK);
        return 0;
    }
    return errno == EAGAIN ? 1 : -1;
}

void stratus_release_freed_memory(void) {
#ifdef __GLIBC__
    malloc_trim(0);
#endif
}

// NSURL.resourceValues(forKeys:) and NSURL.setResourceValues(_:), by the names that Swift's compiler gives them. They use
// Swift's calling convention, so only their addresses are of use here.
void foundation_get(void) __asm__("$s10Foundation5NSURLC14resourceValues7forKeysSDyAA14URLResourceKeyVypGSayAGG_tKF");
void foundation_set(void) __asm__("$s10Foundation5NSURLC17setResourceValuesyySDyAA14URLResourceKeyVypGKF");
// Absent from a program that links this target alone.
void replacing_get(void) __asm__("stratus_url_resource_values") __attribute__((weak));
void replacing_set(void) __asm__("stratus_url_set_resource_values") __attribute__((weak));
void register_resource_values(void) __asm__("stratus_register_resource_values") __attribute__((weak));

const void *stratus_foundation_resource_values(void) { return (const void *)foundation_get; }
const void *stratus_foundation_set_resource_values(void) { return (const void *)foundation_set; }
const void *stratus_replacing_resource_values(void) { return (const void *)replacing_get; }
const void *stratus_replacing_set_resource_values(void) { return (const void *)replacing_set; }

__attribute__((constructor)) static void register_when_loaded(void) {
    if (register_resource_values) register_resource_values();
}
