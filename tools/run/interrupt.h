// Ends training at SIGINT and SIGTERM with what it has reached.
#ifndef WEIR_TOOLS_RUN_INTERRUPT_H
#define WEIR_TOOLS_RUN_INTERRUPT_H

/// From now on the first SIGINT or SIGTERM is noted; a second one ends the
/// process at once.
void interrupt_watch(void);
/// The signal that came, or 0.
int interrupt_seen(void);
/// Ends the process by the signal that came, if one did.
void interrupt_end(void);

#endif
