#include "pub_tool_basics.h"
