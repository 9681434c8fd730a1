// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/target/cpu/CpuImages.h"

#include "dialects/exec/Exec.h"
#include "dialects/tfir/Names.h"
#include "lib/target/Target.h"
#include "lib/target/common/KernelAttrs.h"
#include "runtime/target/cpu/format/CpuExecutable_generated.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

using namespace mlir;

namespace graphc {

static const CpuCodeLevel kLevels[] = {{"x86-64-v3", kTileX86V3},
                                       {"x86-64-v4", kTileX86V4}};

/// In place of the offset of a kernel that an image has no code for.
static constexpr int64_t kNoEntry = -1;

llvm::StringSet<> kernelsOfOthers(ModuleOp module) {
  llvm::StringSet<> others, own;
  for (auto program : module.getOps<exec::ProgramOp>()) {
    bool isOwn = &targetOf(program) == &hostTarget(module);
    for (auto dispatch : program.getBlock().getOps<exec::DispatchOp>())
      (isOwn ? own : others).insert(dispatch.getKernel());
  }
  for (const auto &name : own)
    others.erase(name.getKey());
  return others;
}

llvm::StringSet<> kernelsOfFirstValues(ModuleOp module) {
  llvm::StringSet<> first, others;
  for (auto program : module.getOps<exec::ProgramOp>()) {
    bool isInit = program.getGraph() == tfir::kInitGraph;
    for (auto dispatch : program.getBlock().getOps<exec::DispatchOp>())
      (isInit ? first : others).insert(dispatch.getKernel());
  }
  for (const auto &name : others)
    first.erase(name.getKey());
  return first;
}

FailureOr<SmallVector<const CpuCodeLevel *>>
chooseCpuLevels(ModuleOp module, ArrayRef<std::string> names) {
  SmallVector<const CpuCodeLevel *> chosen;
  for (const CpuCodeLevel &level : kLevels)
    if (names.empty() || llvm::is_contained(names, level.isa))
      chosen.push_back(&level);
  for (const std::string &name : names)
    if (llvm::none_of(kLevels, [&](const CpuCodeLevel &level) {
          return level.isa == name;
        }))
      return module.emitError("'")
             << name
             << "' is no level of CPU; kernels are made for x86-64-v3 and "
                "x86-64-v4";
  return chosen;
}

LogicalResult writeCpuImages(ModuleOp origin, ArrayRef<CpuKernel> kernels,
                             ArrayRef<LevelKernels> levels, OptLevel optLevel,
                             CodeCache &cache) {
  SmallVector<int64_t> units, scratch;
  SmallVector<StringRef> order;
  for (const CpuKernel &kernel : kernels) {
    if (!kernel.hasCode) {
      units.push_back(1);
      scratch.push_back(0);
      continue;
    }
    func::FuncOp func;
    for (ModuleOp module : levels.front().modules)
      if (!func)
        func = module.lookupSymbol<func::FuncOp>(kernel.name);
    KernelTiles tiles = kernelTiles(func);
    units.push_back(tiles.units);
    scratch.push_back(tiles.scratch);
    order.push_back(kernel.name);
  }
  FailureOr<SmallVector<CpuImage>> images =
      compileCpu(levels, order, optLevel, cache);
  if (failed(images))
    return failure();

  OpBuilder b(origin);
  for (auto [i, kernel] : llvm::enumerate(kernels))
    exec::KernelOp::create(b, origin.getLoc(), kernel.name, units[i],
                           scratch[i], APFloat(kernel.cost.flops),
                           APFloat(kernel.cost.bytes));
  for (const CpuImage &image : *images) {
    SmallVector<int64_t> entries;
    size_t next = 0;
    for (const CpuKernel &kernel : kernels)
      entries.push_back(kernel.hasCode
                            ? static_cast<int64_t>(image.entries[next++])
                            : kNoEntry);
    auto type = RankedTensorType::get({static_cast<int64_t>(image.code.size())},
                                      b.getI8Type());
    exec::ImageOp::create(
        b, origin.getLoc(), image.isa, entries,
        DenseElementsAttr::getFromRawBuffer(type, image.code));
  }
  origin.erase();
  return success();
}

std::vector<uint8_t> writeCpuExecutable(ModuleOp module) {
  if (module.getOps<exec::ImageOp>().empty())
    return {};
  flatbuffers::FlatBufferBuilder builder;
  std::vector<flatbuffers::Offset<format::Image>> images;
  for (auto op : module.getOps<exec::ImageOp>()) {
    ArrayRef<char> code = cast<DenseElementsAttr>(op.getCode()).getRawData();
    std::vector<uint64_t> entries(op.getEntries().begin(),
                                  op.getEntries().end());
    auto bytes = builder.CreateVector(
        reinterpret_cast<const uint8_t *>(code.data()), code.size());
    images.push_back(
        format::CreateImage(builder, builder.CreateString(op.getIsa().str()),
                            bytes, builder.CreateVector(entries)));
  }
  format::FinishCpuExecutableBuffer(
      builder,
      format::CreateCpuExecutable(builder, builder.CreateVector(images)));
  flatbuffers::DetachedBuffer code = builder.Release();
  return {code.data(), code.data() + code.size()};
}

} // namespace graphc
