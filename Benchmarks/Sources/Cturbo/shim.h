// What the module Cturbo shows of the system's library. Included here because a module map cannot name a
// header whose folder only pkg-config knows.
#include <stdio.h>
#include <jpeglib.h>
#include <jerror.h>
