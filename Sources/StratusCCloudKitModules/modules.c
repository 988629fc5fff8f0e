// A target needs a source file.
#include "stratus_cloudkit_module.h"
