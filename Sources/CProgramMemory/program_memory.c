// dl_iterate_phdr is shown only to who says so.
#define _GNU_SOURCE
#include "program_memory.h"

#include <link.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static int release_object(struct dl_phdr_info *object, size_t size, void *unused) {
    (void)size;
    (void)unused;
    // The kernel's own, which is no file.
    if (strncmp(object->dlpi_name, "linux-", 6) == 0) return 0;
    const uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
    for (size_t index = 0; index < object->dlpi_phnum; index++) {
        const ElfW(Phdr) *segment = &object->dlpi_phdr[index];
        // What may be written holds what the linker wrote, also where it is protected afterwards.
        if (segment->p_type != PT_LOAD || (segment->p_flags & PF_W) != 0) continue;
        const uintptr_t address = object->dlpi_addr + segment->p_vaddr;
        const uintptr_t first = (address + page - 1) & ~(page - 1);
        const uintptr_t end = (address + segment->p_memsz) & ~(page - 1);
        // Refused, the pages stay, and nothing is lost.
        if (end > first) madvise((void *)first, end - first, MADV_DONTNEED);
    }
    return 0;
}

void program_memory_release_files(void) { dl_iterate_phdr(release_object, NULL); }
