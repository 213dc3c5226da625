// Platform files of SimGrid.
#ifndef WEIR_TOOLS_SIMULATE_PLATFORM_H
#define WEIR_TOOLS_SIMULATE_PLATFORM_H

#include "tools/simulate/Options.h"

namespace weir::simulate {

/// Writes the platform that --make-platform asks for. The exit status.
int writePlatform(const Options &options);

} // namespace weir::simulate

#endif
