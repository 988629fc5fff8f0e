#pragma once

/// Defined in Swift, in StratusCloudKit: lets every unarchiver of the process read archives that Apple's classes wrote.
void stratus_register_archive_names(void) __attribute__((weak));
