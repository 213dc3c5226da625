// Which node of the model a location is of.

#include "compiler/Place.h"

using namespace mlir;

namespace weir {

/// Calls nest as deep as a model likes; nobody asks for those far outside.
constexpr unsigned stepLimit = 16;

Place placeOf(Location location) {
  Place place;
  LocationAttr at = location;
  SmallVector<LocationAttr, 4> later;
  for (unsigned steps = 0; at && steps < stepLimit; ++steps) {
    if (auto name = dyn_cast<NameLoc>(at)) {
      place.nodes.push_back(name.getName());
      at = name.getChildLoc();
    } else if (auto call = dyn_cast<CallSiteLoc>(at)) {
      later.push_back(call.getCaller());
      at = call.getCallee();
    } else if (auto fused = dyn_cast<FusedLoc>(at)) {
      at = fused.getLocations().empty()
               ? LocationAttr()
               : LocationAttr(fused.getLocations().front());
    } else {
      if (auto file = dyn_cast<FileLineColLoc>(at);
          file && place.file.empty()) {
        place.file = file.getFilename();
        place.line = file.getLine();
        place.column = file.getColumn();
      }
      at = later.empty() ? LocationAttr() : later.pop_back_val();
    }
  }
  return place;
}

std::string nodeOf(Location location) {
  Place place = placeOf(location);
  return place.nodes.empty() ? "" : place.nodes.front().str();
}

std::string pathOf(LocationAttr location) {
  std::string path;
  while (location) {
    LocationAttr own = location;
    location = nullptr;
    if (auto call = dyn_cast<CallSiteLoc>(own)) {
      location = call.getCaller();
      own = call.getCallee();
    }
    if (auto name = dyn_cast<NameLoc>(own))
      path = name.getName().str() + (path.empty() ? "" : "/" + path);
    else if (auto fused = dyn_cast<FusedLoc>(own);
             fused && !location && !fused.getLocations().empty())
      location = fused.getLocations().front();
  }
  return path;
}

} // namespace weir
