// Libraries and executables from an object file.

#include "compiler/emit/Library.h"

#include "compiler/SystemErrors.h"

#include "lld/Common/Driver.h"
#include "llvm/ADT/ScopeExit.h"
#include "llvm/Object/ArchiveWriter.h"
#include "llvm/Support/CrashRecoveryContext.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Program.h"
#include "llvm/Support/Signals.h"
#include "llvm/TargetParser/Host.h"
#include "llvm/TargetParser/Triple.h"

#include <csignal>
#include <unistd.h>

LLD_HAS_DRIVER(elf)

using namespace llvm;

namespace weir {

Error writeArchive(OutputFile &to, StringRef object, StringRef memberName) {
  auto buffer = MemoryBuffer::getFile(object, /*IsText=*/false,
                                      /*RequiresNullTerminator=*/false);
  if (!buffer)
    return make_error<IoError>(object, buffer.getError());
  NewArchiveMember member{MemoryBufferRef(**buffer)};
  member.MemberName = memberName;
  std::vector<NewArchiveMember> members;
  members.push_back(std::move(member));
  return to.write([&](raw_fd_ostream &os) {
    return writeArchiveToStream(os, members, SymtabWritingMode::NormalSymtab,
                                object::Archive::K_GNU, /*Deterministic=*/true,
                                /*Thin=*/false);
  });
}

/// Named on the command line, libc and libm become needed libraries with the
/// versions of their symbols. A cross target's are found by the loader.
static Error addSystemLibraries(SmallVectorImpl<std::string> &arguments,
                                StringRef triple, bool needsMath) {
  if (Triple(triple).getArch() !=
      Triple(sys::getDefaultTargetTriple()).getArch())
    return Error::success();
  for (StringRef name : {"libm.so.6", "libc.so.6"}) {
    if (name == "libm.so.6" && !needsMath)
      continue;
    for (StringRef folder :
         {"/lib/x86_64-linux-gnu/", "/lib/aarch64-linux-gnu/", "/lib64/",
          "/usr/lib64/", "/usr/lib/", "/lib/"}) {
      std::string path = (folder + name).str();
      std::error_code code = sys::fs::access(path, sys::fs::AccessMode::Exist);
      if (!code) {
        arguments.push_back(path);
        break;
      }
      if (!isAbsent(code))
        return createFileError(path, code);
    }
  }
  return Error::success();
}

/// A file that was written through a mapping lies in the page cache page by
/// page, one that was written at once in long runs; these are what the weights
/// of a library that was just made are read from, and runs are quicker to
/// translate: 3 to 6 % of the time where a model streams its weights.
static Error copyFile(OutputFile &to, StringRef from) {
  auto file = sys::fs::openNativeFileForRead(from);
  if (!file)
    return make_error<IoError>(from, errorToErrorCode(file.takeError()));
  auto close = make_scope_exit([&] { sys::fs::closeFile(*file); });
  auto permissions = sys::fs::getPermissions(from);
  std::error_code code =
      permissions ? sys::fs::setPermissions(to.temporary(), *permissions)
                  : permissions.getError();
  if (code)
    return make_error<IoError>(to.path(), code);
  return to.write([&](raw_fd_ostream &os) -> Error {
    std::vector<char> run(OutputFile::runBytes);
    for (;;) {
      auto count = sys::fs::readNativeFile(*file, run);
      if (!count)
        return make_error<IoError>(from, errorToErrorCode(count.takeError()));
      if (!*count)
        return Error::success();
      os.write(run.data(), *count);
    }
  });
}

/// Removes the files that lld makes beside its output; it leaves them behind
/// where it cannot close or rename them.
static void removeBeside(const OutputFile &output) {
  StringRef folder = sys::path::parent_path(output.temporary());
  std::string prefix = (sys::path::filename(output.temporary()) + ".tmp").str();
  std::error_code code;
  for (sys::fs::directory_iterator at(folder.empty() ? "." : folder, code), end;
       at != end && !code; at.increment(code))
    if (sys::path::filename(at->path()).starts_with(prefix))
      ::unlink(at->path().c_str());
}

static Error linkError(StringRef path, const std::string &said) {
  if (std::error_code code = systemErrorIn(said))
    return make_error<IoError>(path, code);
  return createStringError("linking '" + path + "' failed: " + said);
}

Error runLinker(SmallVector<std::string> arguments, const OutputFile &output,
                StringRef path) {
  auto remove = make_scope_exit([&] { removeBeside(output); });
  arguments.append({"-o", output.temporary()});
  SmallVector<const char *> argv;
  for (const std::string &argument : arguments)
    argv.push_back(argument.c_str());
  std::string out, error;
  raw_string_ostream outs(out), errors(error);
  // lld maps its output: a disk that fills up is a SIGBUS there, which this
  // turns into a status.
  CrashRecoveryContext::Enable();
  lld::Result result =
      lld::lldMain(argv, outs, errors, {{lld::Gnu, &lld::elf::link}});
  CrashRecoveryContext::Disable();
  if (result.retCode == 128 + SIGBUS) {
    sys::RunInterruptHandlers(); // lld's own temporary file
    return make_error<IoError>(
        path, std::make_error_code(std::errc::no_space_on_device));
  }
  if (!result.retCode)
    return Error::success();
  return linkError(path, error);
}

/// An error of the linker about the user's objects is not an internal error.
static Error blameObjects(Error error, ArrayRef<std::string> others) {
  if (others.empty() || !error || error.isA<IoError>())
    return error;
  return createStringError(std::make_error_code(std::errc::invalid_argument),
                           "--custom-object: " + toString(std::move(error)));
}

Error linkShared(OutputFile &to, StringRef object, ArrayRef<std::string> others,
                 StringRef triple, bool needsMath) {
  SmallVector<std::string> arguments{"ld.lld",
                                     "-shared",
                                     "--hash-style=gnu",
                                     "--build-id=fast",
                                     "-z",
                                     "relro",
                                     "-z",
                                     "now",
                                     "-z",
                                     "noexecstack",
                                     "-z",
                                     "text",
                                     "--threads=1"};
  arguments.push_back(("--soname=" + sys::path::filename(to.path())).str());
  arguments.push_back(object.str());
  // The library calls these functions, whatever else has their names.
  if (!others.empty())
    arguments.append({"-Bsymbolic", "--exclude-libs=ALL"});
  arguments.append(others.begin(), others.end());
  if (Error error =
          addSystemLibraries(arguments, triple, needsMath || !others.empty()))
    return error;
  auto linked = OutputFile::create(to.path());
  if (!linked)
    return linked.takeError();
  if (Error error = runLinker(std::move(arguments), *linked, to.path()))
    return blameObjects(std::move(error), others);
  return copyFile(to, linked->temporary());
}

/// This process's environment, but with messages in English.
static SmallVector<StringRef> plainEnvironment() {
  SmallVector<StringRef> all;
  for (char **at = environ; *at; ++at)
    if (StringRef variable = *at;
        !variable.starts_with("LC_ALL=") && !variable.starts_with("LANGUAGE="))
      all.push_back(variable);
  all.push_back("LC_ALL=C");
  return all;
}

Error linkExecutable(OutputFile &to, StringRef object,
                     ArrayRef<std::string> others) {
  ErrorOr<std::string> driver = sys::findProgramByName("cc");
  if (!driver)
    return make_error<IoError>(
        to.path(), driver.getError(),
        "an executable needs the program 'cc' to link; write an object or a "
        "library instead");
  // The linker makes a file of its own in the place of the one it is told.
  auto linked = OutputFile::create(to.path());
  if (!linked)
    return linked.takeError();
  auto messages = OutputFile::create(to.path() + ".txt");
  if (!messages)
    return messages.takeError();
  SmallVector<StringRef> arguments{*driver, "-o", linked->temporary(), object};
  arguments.append(others.begin(), others.end());
  arguments.append({"-lm", "-Wl,-z,relro,-z,now", "-pie"});
  std::optional<StringRef> streams[] = {StringRef(""), messages->temporary(),
                                        messages->temporary()};
  std::string problem;
  int status = sys::ExecuteAndWait(*driver, arguments, plainEnvironment(),
                                   streams, 0, 0, &problem);
  if (!status)
    return copyFile(to, linked->temporary());
  auto said = MemoryBuffer::getFile(messages->temporary());
  if (said && problem.empty())
    problem = (*said)->getBuffer();
  // What is wrong with it is no matter of the model's.
  std::error_code code = systemErrorIn(problem);
  StringRef line = StringRef(problem).ltrim().split('\n').first;
  if (!code && !others.empty())
    return blameObjects(
        createStringError("linking '" + to.path() + "' failed: " + line),
        others);
  return make_error<IoError>(
      to.path(), code ? code : std::make_error_code(std::errc::io_error),
      ("'" + *driver + "' failed: " + line).str());
}

} // namespace weir
