// Compiles the roles of a cluster.

#include "compiler/partition/Partition.h"

#include "compiler/Streams.h"
#include "compiler/SystemErrors.h"
#include "compiler/partition/Products.h"
#include "compiler/terminal/Version.h"
#include "dialects/weir/Attributes.h"
#include "mlir/Bytecode/BytecodeWriter.h"
#include "passes/plan/RoleTransfers.h"
#include "llvm/Support/Endian.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/raw_sha1_ostream.h"

#include <list>
#include <unistd.h>

using namespace mlir;

namespace weir {

namespace {

/// What all roles of a partition have in common, and no other partition has:
/// their programs, constants included, and the compiler.
int64_t fingerprintOf(ModuleOp roles) {
  llvm::raw_sha1_ostream os;
  printBuild(os);
  if (failed(writeBytecodeToFile(roles, os)))
    roles.print(os);
  std::array<uint8_t, 20> hash = os.sha1();
  int64_t fingerprint =
      llvm::support::endian::read64le(hash.data()) & INT64_MAX;
  return fingerprint ? fingerprint : 1; // zero stands for none
}

/// The modules of roles, each with the fingerprint and apart from the others.
std::vector<OwningOpRef<ModuleOp>> takeRoles(ModuleOp module) {
  int64_t fingerprint = fingerprintOf(module);
  std::vector<OwningOpRef<ModuleOp>> roles;
  for (ModuleOp role : llvm::make_early_inc_range(module.getOps<ModuleOp>())) {
    role->remove();
    role.setSymName(std::nullopt);
    ClusterAttr cluster = attrs::cluster.of(role);
    attrs::cluster.set(
        role, ClusterAttr::get(role->getContext(), cluster.getJobs(),
                               cluster.getSizes(), cluster.getReplicas(),
                               cluster.getRole(), fingerprint));
    roles.emplace_back(role);
  }
  return roles;
}

/// The compilation of one role.
struct RoleCourse {
  RoleCourse(const Options &all, ModuleOp module, Progress &progress)
      : options(all), course(options, module, progress) {
    ClusterAttr cluster = attrs::cluster.of(module);
    role = *cluster.roleOf(cluster.getRole());
    options.emit.output = libraryOf(all.emit.output, cluster, role.first);
  }

  Options options;
  ClusterRole role;
  Course course;
};

} // namespace

/// Runs the stages from the first to the last, or to that of --stop-after, for
/// each role.
static Status runAll(std::list<RoleCourse> &courses, StringRef first,
                     StringRef last) {
  for (RoleCourse &role : courses)
    for (const Stage &stage : stages(Machine::Cpu, first, last)) {
      if (failed(runStages(stage, role.course.targets.front(), role.course)))
        return internalError(role.course);
      if (stage.name == role.options.stopAfter)
        break;
    }
  return Status::ok;
}

/// Whether --stop-after names a stage before this one.
static bool endsBefore(const Options &options, StringRef stage) {
  if (options.stopAfter.empty())
    return false;
  for (const Stage &each : stages(Machine::Cpu)) {
    if (each.name == stage)
      return false;
    if (each.name == options.stopAfter)
      return true;
  }
  return false;
}

Status compileRoles(Course &course) {
  const Options &options = course.options;
  std::vector<OwningOpRef<ModuleOp>> modules =
      takeRoles(course.targets.front().module);
  SmallVector<ModuleOp> roles;
  std::list<RoleCourse> courses;
  for (OwningOpRef<ModuleOp> &module : modules) {
    roles.push_back(*module);
    courses.emplace_back(options, *module, course.progress);
  }
  std::string manifest = manifestOf(options, roles);
  Status status = runAll(courses, stage::fuse, stage::plan);
  if (status == Status::ok && !endsBefore(options, stage::plan) &&
      failed(plan::checkRoles(roles)))
    status = internalError(course);
  if (status == Status::ok && !endsBefore(options, stage::loops))
    status = runAll(courses, stage::loops, stage::entry);
  if (status != Status::ok)
    return status;
  if (!options.stopAfter.empty()) {
    TargetModule all = course.targets.front();
    course.targets.clear();
    for (ModuleOp role : roles)
      course.targets.push_back({role, ""});
    status = print(course);
    course.targets = {all};
    return status;
  }
  if (std::error_code code =
          llvm::sys::fs::create_directories(options.emit.output))
    return statusOf(llvm::make_error<IoError>(options.emit.output, code));
  for (RoleCourse &role : courses) {
    if (status = write(role.course); status != Status::ok)
      return status;
    for (OutputFile &file : role.course.files)
      course.files.push_back(std::move(file));
    role.course.files.clear();
  }
  return writeLaunch(options, attrs::cluster.of(roles.front()), manifest,
                     course.files);
}

/// Has the path name the file that is beside it.
static llvm::Error link(StringRef path, StringRef target) {
  SmallString<256> name;
  llvm::sys::fs::createUniquePath(path + ".%%%%%%.tmp", name,
                                  /*MakeAbsolute=*/false);
  if (::symlink(target.str().c_str(), name.c_str()))
    return llvm::make_error<IoError>(
        path, std::error_code(errno, std::generic_category()));
  std::error_code code = llvm::sys::fs::rename(name, path);
  if (!code)
    return llvm::Error::success();
  ::unlink(name.c_str());
  return llvm::make_error<IoError>(path, code);
}

Status linkReplicas(const Options &options, ModuleOp module) {
  ClusterAttr cluster = attrs::cluster.of(module);
  for (const ClusterRole &role : cluster.roles()) {
    std::string target = taskOf(cluster, role.first) + ".so";
    for (int64_t rank = role.first + 1; rank < role.first + role.count; ++rank)
      if (llvm::Error error =
              link(libraryOf(options.emit.output, cluster, rank), target))
        return statusOf(std::move(error));
  }
  return Status::ok;
}

} // namespace weir
