// The property of passes that a compilation may skip.

#ifndef WEIR_PASSES_OPTIONAL
#define WEIR_PASSES_OPTIONAL

// A pass that only makes the product faster or smaller: later passes accept the
// program without it. compiler/OptionalPasses.td collects such passes.
class Optional;

#endif // WEIR_PASSES_OPTIONAL
