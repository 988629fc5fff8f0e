#pragma once
#include <stdint.h>
#include <sys/types.h>

/// Extended attributes of an item; of a symbolic link itself, not of what it points to.
ssize_t stratus_get_attribute(const char *path, const char *name, void *value, size_t size);
int stratus_set_attribute(const char *path, const char *name, const void *value, size_t size);
int stratus_remove_attribute(const char *path, const char *name);

/// Lets two items of one file system change places.
int stratus_exchange(const char *one, const char *other);

/// The user whose process has the other end of a Unix-domain socket.
/// @return 0, or -1 if the system does not say.
int stratus_peer_user(int socket, uid_t *user);

/// Moves an item between open directories: an item that is there is not replaced, or changes places with it.
int stratus_rename_new(int from, const char *old_name, int to, const char *new_name);
int stratus_exchange_in(int from, const char *one, int to, const char *other);

/// When an item was created, in nanoseconds since 1970-01-01 UTC; 0 if the file system does not say.
int64_t stratus_birth_time(int directory, const char *name);

/// The device of what is mounted on an open directory; 0 if nothing is.
uint64_t stratus_mount_device(int directory);

/// Returns 1 if another process, or this one, has the file open for writing, 0 if none has, and -1 if that is unknown,
/// such as on a file system without leases.
/// Lets the process ignore SIGIO, unless it handles that signal.
int stratus_is_being_written(int file);

/// Lets the system begin to write the content of an open file to the disk, without waiting for it.
void stratus_begin_writing(int file);

/// Returns memory to the system that the program has freed.
void stratus_release_freed_memory(void);

/// The addresses of two methods of Foundation's NSURL, and of those that take their places.
const void *stratus_foundation_resource_values(void);
const void *stratus_foundation_set_resource_values(void);
const void *stratus_replacing_resource_values(void);
const void *stratus_replacing_set_resource_values(void);
