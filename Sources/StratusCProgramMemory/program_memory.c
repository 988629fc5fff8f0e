// dl_iterate_phdr is shown only to who says so.
#define _GNU_SOURCE
#include "program_memory.h"

#include <link.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

// Whether the linker wrote into what is not to be written, which would be lost. Libraries are hardly ever built so.
static int has_text_relocations(const struct dl_phdr_info *object) {
    for (size_t index = 0; index < object->dlpi_phnum; index++) {
        const ElfW(Phdr) *segment = &object->dlpi_phdr[index];
        if (segment->p_type != PT_DYNAMIC) continue;
        const ElfW(Dyn) *entry = (const ElfW(Dyn) *)(object->dlpi_addr + segment->p_vaddr);
        for (; entry->d_tag != DT_NULL; entry++) {
            if (entry->d_tag == DT_TEXTREL) return 1;
            if (entry->d_tag == DT_FLAGS && (entry->d_un.d_val & DF_TEXTREL) != 0) return 1;
        }
    }
    return 0;
}

static int release_object(struct dl_phdr_info *object, size_t size, void *unused) {
    (void)size;
    (void)unused;
    // The kernel's own, which is no file.
    if (strncmp(object->dlpi_name, "linux-", 6) == 0) return 0;
    if (has_text_relocations(object)) return 0;
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
