// A target needs a source file.
#include "stratus_coredata_module.h"
