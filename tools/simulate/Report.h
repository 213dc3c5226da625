// The report of a simulated run.
#ifndef WEIR_TOOLS_SIMULATE_REPORT_H
#define WEIR_TOOLS_SIMULATE_REPORT_H

#include "tools/simulate/CriticalPath.h"

#include <cstdio>

namespace weir::simulate {

/// Prints the report for people.
void printReport(std::FILE *to, const Options &options, const Program &program,
                 const Simulation &simulation);

/// Prints all numbers as JSON.
void printJson(std::FILE *to, const Options &options, const Program &program,
               const Simulation &simulation);

} // namespace weir::simulate

#endif
