// The progress of a compilation, on stderr.

#include "compiler/terminal/Progress.h"

#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/Process.h"
#include "llvm/Support/raw_ostream.h"

#include <csignal>
#include <cstdlib>
#include <unistd.h>

using namespace llvm;

namespace weir {
namespace {

/// Whether the line stands on the terminal, and whether it may.
std::atomic<bool> isShown = false, mayShow = false;

void writeTerminal(StringRef text) {
  if (::write(STDERR_FILENO, text.data(), text.size()) < 0) {
    // A terminal that is gone shows no progress.
  }
}

void eraseLine() {
  if (isShown.exchange(false))
    writeTerminal("\r\033[K");
}

bool isTerminal() {
  const char *term = std::getenv("TERM");
  return ::isatty(STDERR_FILENO) && term && StringRef(term) != "dumb";
}

/// The handlers that were there before the line.
constexpr int signals[] = {SIGINT, SIGTERM, SIGHUP};
struct sigaction before[std::size(signals)];

void onSignal(int signal) {
  endProgressLine();
  for (size_t i = 0; i < std::size(signals); ++i)
    if (signals[i] == signal)
      ::sigaction(signal, &before[i], nullptr);
  ::raise(signal);
}

void catchSignals() {
  struct sigaction action = {};
  action.sa_handler = onSignal;
  for (size_t i = 0; i < std::size(signals); ++i) {
    ::sigaction(signals[i], nullptr, &before[i]);
    // A signal that is ignored stays so.
    if (before[i].sa_handler != SIG_IGN)
      ::sigaction(signals[i], &action, nullptr);
  }
}

void releaseSignals() {
  for (size_t i = 0; i < std::size(signals); ++i)
    ::sigaction(signals[i], &before[i], nullptr);
}

} // namespace

void endProgressLine() {
  mayShow = false;
  eraseLine();
}

/// A stream that others are tied to: they flush it before they write. One byte
/// always waits in its buffer, so that each flush gets here.
class Progress::Eraser : public raw_ostream {
public:
  explicit Eraser(Progress &progress) : progress(progress) {
    SetBufferSize(16);
    *this << ' ';
    errs().tie(this);
    outs().tie(this);
  }

  ~Eraser() override {
    errs().tie(nullptr);
    outs().tie(nullptr);
    isClosing = true;
    flush();
  }

private:
  void write_impl(const char *, size_t) override {
    if (isClosing)
      return;
    {
      std::lock_guard<std::mutex> lock(progress.mutex);
      eraseLine();
      progress.quietUntil = Clock::now() + std::chrono::milliseconds(300);
    }
    *this << ' ';
  }
  uint64_t current_pos() const override { return 0; }

  Progress &progress;
  bool isClosing = false;
};

Progress::Progress() = default;

Progress::~Progress() { stop(); }

double Progress::seconds() const {
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

void Progress::start(const ProgressOptions &given) {
  options = given;
  if (options.isVerbose || !options.after || !isTerminal())
    return;
  mayShow = true;
  catchSignals();
  eraser = std::make_unique<Eraser>(*this);
  thread.emplace([this] { showLines(); });
}

void Progress::enter(StringRef stage, StringRef variant) {
  kernels = kernel = 0;
  std::lock_guard<std::mutex> lock(mutex);
  current = stage;
  title = variant.empty() ? stage.str() : (stage + " (" + variant + ")").str();
  if (options.isVerbose)
    printLine(title);
  else if (isShown)
    draw();
}

void Progress::setKernels(unsigned count) {
  kernel = 0;
  kernels = count;
}

void Progress::printLine(StringRef text) {
  errs() << formatv("weir: {0,7:F1} s: {1}\n", seconds(), text).str();
}

void Progress::showLines() {
  std::unique_lock<std::mutex> lock(mutex);
  auto isOver = [&] { return isEnded; };
  wake.wait_for(lock, std::chrono::duration<double>(*options.after), isOver);
  while (!isEnded) {
    if (Clock::now() >= quietUntil)
      draw();
    wake.wait_for(lock, std::chrono::milliseconds(100), isOver);
  }
}

void Progress::draw() {
  // The thread of lines may start before the first stage.
  if (title.empty())
    return;
  // A job in the background leaves the terminal to others.
  if (!mayShow || ::tcgetpgrp(STDERR_FILENO) != ::getpgrp())
    return;
  unsigned count = kernels, at = std::min<unsigned>(kernel, count);
  std::string text = "weir: " + title;
  if (count > 1 && at)
    text += formatv(": kernel {0} of {1}", at, count).str();
  text += formatv(", {0} s", static_cast<unsigned>(seconds())).str();
  // A line that is full would move to the next one.
  unsigned columns = sys::Process::StandardErrColumns();
  if (columns && text.size() >= columns)
    text.resize(columns - 1);
  if (isShown && text == shown)
    return;
  shown = text;
  isShown = true;
  writeTerminal("\r" + text + "\033[K");
  if (!mayShow)
    eraseLine();
}

void Progress::stop(bool hasSucceeded) {
  {
    std::lock_guard<std::mutex> lock(mutex);
    if (isEnded)
      return;
    isEnded = true;
    if (options.isVerbose && hasSucceeded)
      printLine("done");
  }
  if (!thread)
    return;
  wake.notify_all();
  thread->join();
  thread.reset();
  endProgressLine();
  eraser.reset();
  releaseSignals();
}

} // namespace weir
