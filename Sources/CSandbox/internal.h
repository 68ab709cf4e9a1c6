#ifndef CSANDBOX_INTERNAL_H
#define CSANDBOX_INTERNAL_H

#include "include/CSandbox.h"

/// The only descriptors of a worker.
#define CSANDBOX_CHANNEL 3
#define CSANDBOX_FILE 4

/// Confines this process for good.
csandbox_layers csandbox_restrict(void);

#endif
