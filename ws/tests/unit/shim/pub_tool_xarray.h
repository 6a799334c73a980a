#include "pub_tool_basics.h"

typedef struct _XArray XArray; // no pure module looks inside
