// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/target/common/FusedPlace.h"

#include "mlir/IR/BuiltinAttributes.h"

using namespace mlir;

namespace graphc {

Location fusePlaces(ArrayRef<FusedPlace> places) {
  SmallVector<Location> locations;
  SmallVector<double> work;
  for (const auto &[place, amount] : places) {
    locations.push_back(place);
    work.push_back(amount);
  }
  MLIRContext *context = places.front().first.getContext();
  return FusedLoc::get(locations, DenseF64ArrayAttr::get(context, work),
                       context);
}

SmallVector<FusedPlace> fusedPlaces(Location location) {
  SmallVector<FusedPlace> places;
  auto fused = dyn_cast<FusedLoc>(location);
  auto work = fused ? dyn_cast_or_null<DenseF64ArrayAttr>(fused.getMetadata())
                    : nullptr;
  if (!work || static_cast<size_t>(work.size()) != fused.getLocations().size())
    return places;
  for (auto [place, amount] :
       llvm::zip(fused.getLocations(), work.asArrayRef()))
    if (auto named = dyn_cast<NameLoc>(place))
      places.push_back({named, amount});
  return places;
}

} // namespace graphc
