#include "CPlainText.h"
