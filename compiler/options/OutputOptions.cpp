// Parses the options of a compilation's further outputs: the depfile, the
// progress and the report.

#include "compiler/OptionTable.h"

#include "compiler/SystemErrors.h"
#include "compiler/import/Dependencies.h"
#include "compiler/options/JsonText.h"
#include "compiler/report/Tasks.h"
#include "compiler/terminal/Version.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"

using namespace llvm;
using namespace llvm::opt;

namespace weir {

void readDepfile(const InputArgList &args, Options &options, Usage &usage) {
  if (!args.hasArg(OPT_MD)) {
    if (args.hasArg(OPT_MF, OPT_MT))
      usage.say() << "-MF and -MT go with -MD\n";
    return;
  }
  StringRef output = options.emit.output;
  if (output == "-")
    output = "";
  options.depTargets = args.getAllArgValues(OPT_MT);
  if (options.depTargets.empty() && !output.empty())
    options.depTargets.push_back(output.str());
  SmallString<128> path(output);
  sys::path::replace_extension(path, ".d");
  options.depfile = args.getLastArgValue(OPT_MF, path).str();
  if (options.depfile.empty() && args.hasArg(OPT_MF))
    usage.say() << "-MF has an empty name\n";
  if (is_contained(options.depTargets, ""))
    usage.say() << "-MT has an empty name\n";
  // No quotes of make and ninja hold a newline.
  std::vector<std::string> names = options.depTargets;
  names.insert(names.end(), {options.depfile, options.import.path});
  for (const std::string &name : names)
    if (StringRef(name).contains('\n'))
      usage.say() << "a depfile cannot contain '" << escaped(name) << "'\n";
  if (options.depTargets.empty() || (output.empty() && !args.hasArg(OPT_MF)))
    usage.say() << "-MD has no output to name: give -MF and -MT\n";
  for (const std::string &object : options.emit.customObjects)
    addDependency(object);
}

void readProgress(const InputArgList &args, ProgressOptions &progress,
                  Usage &usage) {
  const Arg *last = args.getLastArg(OPT_v, OPT_q);
  progress.isVerbose = last && last->getOption().matches(OPT_v);
  double seconds = 2;
  StringRef text = args.getLastArgValue(OPT_progress_EQ, "2");
  if (text.getAsDouble(seconds) || !(seconds >= 0 && seconds < 1e6))
    usage.say() << "--progress: '" << escaped(text)
                << "' is no number of seconds\n";
  if (!last || progress.isVerbose)
    progress.after = seconds;
}

static Status readProfile(ReportOptions &report, Usage &usage) {
  StringRef path = report.profilePath;
  Status status = Status::ok;
  std::unique_ptr<MemoryBuffer> text = readOptionFile(path, status);
  if (!text)
    return status;
  auto profile = parseJson(text->getBuffer());
  std::string wrong =
      profile ? whatIsWrong(*profile) : toString(profile.takeError());
  if (wrong.empty())
    report.profile = std::move(*profile);
  else
    usage.say() << "--report-profile=" << escaped(path) << ": " << wrong
                << '\n';
  return Status::ok;
}

Status readReport(const InputArgList &args, ReportOptions &report,
                  Usage &usage) {
  report.path = args.getLastArgValue(OPT_report_EQ).str();
  report.remarks = args.getLastArgValue(OPT_remarks_EQ).str();
  if (std::string wrong = whatIsWrong(report); !wrong.empty())
    usage.say() << wrong << '\n';
  raw_string_ostream version(report.compiler);
  printVersion(version);
  report.compiler = StringRef(report.compiler).trim().str();
  for (const Arg *arg : args)
    report.arguments.push_back(arg->getAsString(args));
  if (!args.hasArg(OPT_report_profile_EQ))
    return Status::ok;
  report.profilePath = args.getLastArgValue(OPT_report_profile_EQ).str();
  if (report.path.empty())
    usage.say() << "--report-profile goes with --report\n";
  else if (report.profilePath.empty())
    usage.say() << "--report-profile has an empty name\n";
  else
    return readProfile(report, usage);
  return Status::ok;
}

} // namespace weir
