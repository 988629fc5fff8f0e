#include "stratus_library_load.h"

// Swift has nothing that runs when a program is loaded, and an archive may be the first thing that the program reads.
__attribute__((constructor)) static void register_archive_names(void) {
    // Absent from a program that links this target alone.
    if (stratus_register_archive_names) stratus_register_archive_names();
}
