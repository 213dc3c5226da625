// A folder for the files of one command.

#include "tools/reference/TemporaryFolder.h"

#include "compiler/SystemErrors.h"
#include "tools/reference/Files.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Signals.h"

#include <atomic>
#include <csignal>
#include <fcntl.h>
#include <set>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

using namespace mlir;
namespace fs = llvm::sys::fs;

namespace weir::reference {
namespace {

/// Removes folders at a signal. A handler of signals may not call what removes
/// a folder, so it wakes a thread.
class Cleaner {
public:
  /// It outlives all threads.
  static Cleaner &get() {
    static Cleaner &cleaner = *new Cleaner;
    return cleaner;
  }

  std::mutex mutex;
  std::set<std::string> folders;
  int child = 0;

private:
  Cleaner() {
    int ends[2];
    if (pipe2(ends, O_CLOEXEC))
      return;
    wake = ends[1];
    std::thread([this, from = ends[0]] { run(from); }).detach();
    for (int number : {SIGHUP, SIGINT, SIGTERM}) {
      struct sigaction before, action = {};
      action.sa_handler = onSignal;
      action.sa_flags = SA_RESTART;
      sigemptyset(&action.sa_mask);
      if (!sigaction(number, nullptr, &before) && before.sa_handler != SIG_IGN)
        sigaction(number, &action, nullptr);
    }
  }

  static void onSignal(int number) {
    int why = errno;
    auto byte = static_cast<unsigned char>(number);
    if (::write(wake, &byte, 1) < 0) {
      // An earlier signal is on its way.
    }
    errno = why;
  }

  void run(int from) {
    unsigned char number = 0;
    while (::read(from, &number, 1) != 1)
      ;
    // The other threads stop at this lock, if they reach it at all.
    std::lock_guard lock(mutex);
    if (child > 0) {
      siginfo_t ended;
      ::kill(child, SIGKILL);
      ::waitid(P_PID, child, &ended, WEXITED | WNOWAIT);
    }
    for (const std::string &folder : folders)
      fs::remove_directories(folder);
    llvm::sys::RunInterruptHandlers();
    ::signal(number, SIG_DFL);
    ::kill(::getpid(), number);
    for (;;)
      ::pause();
  }

  static std::atomic<int> wake;
};

std::atomic<int> Cleaner::wake = -1;

} // namespace

std::unique_lock<std::mutex> TemporaryFolder::holdSignals() {
  return std::unique_lock(Cleaner::get().mutex);
}

void TemporaryFolder::setChild(int process) { Cleaner::get().child = process; }

TemporaryFolder::~TemporaryFolder() {
  if (path.empty())
    return;
  fs::remove_directories(path);
  for (const auto &file : files)
    llvm::sys::DontRemoveFileOnSignal(file.getKey());
  auto lock = holdSignals();
  Cleaner::get().folders.erase(path.str().str());
}

void TemporaryFolder::know(std::string file) {
  llvm::sys::RemoveFileOnSignal(file);
  files.insert(file);
}

void TemporaryFolder::knowAllIn(StringRef folder) {
  std::error_code code;
  for (fs::directory_iterator it(folder, code), end; !code && it != end;
       it.increment(code))
    know(it->path());
}

void TemporaryFolder::remove(StringRef file) {
  fs::remove(file);
  llvm::sys::DontRemoveFileOnSignal(file);
  files.erase(file);
}

Status TemporaryFolder::create(StringRef parent) {
  auto lock = holdSignals();
  constexpr int trials = 128;
  std::error_code code;
  if (parent.empty())
    code = fs::createUniqueDirectory("weir", path);
  for (int i = 0; !parent.empty() && i < trials; ++i) {
    fs::createUniquePath(parent + "/.weir-%%%%%%.tmp", path,
                         /*MakeAbsolute=*/false);
    code = fs::create_directory(path, /*IgnoreExisting=*/false);
    if (code != std::errc::file_exists)
      break;
  }
  if (code) {
    path.clear();
    std::string where = parent.empty() ? "" : " in '" + escaped(parent) + "'";
    return fail(systemStatus(code), "cannot create a temporary folder" + where +
                                        ": " + code.message());
  }
  Cleaner::get().folders.insert(path.str().str());
  return Status::ok;
}

Status TemporaryFolder::createFolder(StringRef name) {
  if (std::error_code code = fs::create_directory(pathOf(name)))
    return fail(systemStatus(code),
                "cannot create '" + pathOf(name) + "': " + code.message());
  return Status::ok;
}

std::string TemporaryFolder::pathOf(StringRef name) const {
  return (path + "/" + name).str();
}

} // namespace weir::reference
