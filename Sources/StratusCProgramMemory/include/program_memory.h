#pragma once

/// Lets go of the pages of the program's and its libraries' files that are in this process's memory: code and constants,
/// nothing that was written. What is used again comes back from the system's cache of the files, page by page.
void program_memory_release_files(void);
