// What the module Carchive shows of the system's library. Included here because a module map cannot name a
// header whose folder only pkg-config knows.
#include <archive.h>
#include <archive_entry.h>
