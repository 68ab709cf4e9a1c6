// What the module Clibmd shows of the system's library. Included here because a module map cannot name a
// header whose folder only pkg-config knows.
#include <sha2.h>
