#pragma once
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

/// The addresses of two methods of Foundation's NSURL, and of those that take their places.
const void *stratus_foundation_resource_values(void);
const void *stratus_foundation_set_resource_values(void);
const void *stratus_replacing_resource_values(void);
const void *stratus_replacing_set_resource_values(void);
