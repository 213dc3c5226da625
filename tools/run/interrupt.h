// Ends training at SIGINT and SIGTERM with what it has reached.
#ifndef WEIR_TOOLS_RUN_INTERRUPT_H
#define WEIR_TOOLS_RUN_INTERRUPT_H

/// From now on the first SIGINT or SIGTERM is noted; a second one ends the
/// process at once.
void interrupt_watch(void);
/// From now on a signal that comes is pending until it is accepted, as
/// processes that train together stop together.
void interrupt_defer(void);
/// The signal that is pending, or 0.
int interrupt_pending(void);
/// Notes a signal that came to this process or to another one.
void interrupt_accept(int number);
/// The signal that came, or 0.
int interrupt_seen(void);
/// Ends the process by the signal that came, if one did.
void interrupt_end(void);

#endif
