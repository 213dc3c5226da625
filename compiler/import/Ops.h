// Which ops the frontends import.

#ifndef WEIR_COMPILER_IMPORT_OPS_H
#define WEIR_COMPILER_IMPORT_OPS_H

#include <string>
#include <vector>

namespace weir {

/// The ops that a frontend imports, whatever it may refuse of their uses.
struct FrontendOps {
  /// "tensorflow" and the like.
  std::string name;
  /// By name, ascending.
  std::vector<std::string> ops;
};
/// Those of every frontend.
std::vector<FrontendOps> listOps();

namespace tensorflow {
std::vector<std::string> listOps();
} // namespace tensorflow
namespace onnx {
/// With their domain where that is not ONNX's own.
std::vector<std::string> listOps();
} // namespace onnx

} // namespace weir

#endif // WEIR_COMPILER_IMPORT_OPS_H
