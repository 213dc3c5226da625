// A library with tables and no code: schedules whose time is a formula.

#include "runtime/comm/info.h"
#include "runtime/weir.h"

// Of the collective operations, which have as many bytes.
enum { LONG = 8000000, SHORT = 2048 };

enum { WHOLE, HIDDEN, LATE, TINY, TWO, PARTS, FUNCTIONS };

static const weir_collective_info collectives[] = {
    {WHOLE, WEIR_ALL_REDUCE, 1, 4, LONG, "long"},
    {HIDDEN, WEIR_ALL_REDUCE, 1, 4, LONG, "hidden"},
    {LATE, WEIR_ALL_REDUCE, 1, 4, LONG, "late"},
    {TINY, WEIR_ALL_REDUCE, 1, 4, SHORT, "tiny"},
    {TWO, WEIR_ALL_REDUCE, 1, 4, LONG, "first"},
    {TWO, WEIR_ALL_REDUCE, 1, 4, LONG, "second"},
    {PARTS, WEIR_ALL_GATHER, 1, 4, LONG / 2, "parts"},
};

#define COMPUTE(function, us)                                                  \
  {function, WEIR_COMPUTE, 0, 1, (us) * 1000ull, 0, 0}
#define START(function, number) {function, WEIR_START, number, 0, 0, 0, 0}
#define WAIT(function, number) {function, WEIR_WAIT, number, 0, 0, 0, 0}
#define PROGRESS(function) {function, WEIR_PROGRESS, 0, 0, 0, 0, 0}

static const weir_schedule_item items[] = {
    // The exchange is behind the kernels.
    COMPUTE(WHOLE, 1000), START(WHOLE, 0), WAIT(WHOLE, 0),
    // A step is shorter than the kernels between two calls of the runtime.
    START(HIDDEN, 1), COMPUTE(HIDDEN, 500), PROGRESS(HIDDEN),
    COMPUTE(HIDDEN, 500), PROGRESS(HIDDEN), WAIT(HIDDEN, 1),
    // The runtime is not called between start and wait: the second step begins
    // in the wait.
    START(LATE, 2), COMPUTE(LATE, 1000), WAIT(LATE, 2),
    //
    COMPUTE(TINY, 1000), START(TINY, 3), WAIT(TINY, 3),
    // Both share the link. The second continues while the first is waited for.
    COMPUTE(TWO, 1000), START(TWO, 4), START(TWO, 5), WAIT(TWO, 4),
    WAIT(TWO, 5),
    //
    COMPUTE(PARTS, 1000), START(PARTS, 6), WAIT(PARTS, 6)};

static const weir_function_info functions[FUNCTIONS] = {
    {.name = "whole", .symbol = "net_whole"},
    {.name = "hidden", .symbol = "net_hidden"},
    {.name = "late", .symbol = "net_late"},
    {.name = "tiny", .symbol = "net_tiny"},
    {.name = "two", .symbol = "net_two"},
    {.name = "parts", .symbol = "net_parts"},
};
static const weir_model_info info = {.abi_version = WEIR_ABI_VERSION,
                                     .prefix = "net",
                                     .num_functions = FUNCTIONS,
                                     .functions = functions};
static const char *const axes[] = {AXIS};
static const uint32_t sizes[] = {2};
static const weir_mesh_info mesh = {.ranks = 2,
                                    .num_axes = 1,
                                    .axes = axes,
                                    .sizes = sizes,
                                    .num_collectives = sizeof collectives /
                                                       sizeof *collectives,
                                    .num_items = sizeof items / sizeof *items,
                                    .collectives = collectives,
                                    .schedule = items};

// By these symbols, the file is a library of weir.
const weir_model_info *net_info(void) { return &info; }
void net_create(void) {}
void net_status_text(void) {}
const weir_mesh_info *net_mesh(void) { return &mesh; }
