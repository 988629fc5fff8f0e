// A target needs a source file.
#include "stratus_os_log.h"
