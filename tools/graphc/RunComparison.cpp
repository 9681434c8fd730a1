// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/graphc/RunComparison.h"

#include "runtime/data/Npy.h"
#include "tools/graphc/CompilerOutputs.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;

namespace graphc {

using interpreter::Tensor;

runtime::Status RunComparison::beginStep(int64_t number) {
  step = number;
  values.clear();
  std::string path;
  llvm::raw_string_ostream(path)
      << folder << llvm::format("/step-%06lld.npz", (long long)number);
  hasStep = llvm::sys::fs::exists(path);
  if (!hasStep)
    return runtime::Status::ok();
  ++compared;
  GRAPHC_ASSIGN_OR_RETURN(std::vector<runtime::NamedTensor> arrays,
                          runtime::loadNpz(path));
  for (runtime::NamedTensor &array : arrays)
    values[array.name] = std::move(array.tensor);
  return runtime::Status::ok();
}

/// True where a value has the elements of the type, in any shape: large
/// reductions are divided, and what they read is then shaped as parts.
static bool hasElementsOf(const runtime::HostTensor &value,
                          const Tensor &like) {
  return value.type.dtype == interpreter::toDType(like.kind) &&
         value.bytes.size() == value.type.numBytes() &&
         value.type.numElements() == like.size();
}

LogicalResult RunComparison::check(const std::string &name,
                                   const std::string &what,
                                   RankedTensorType type, Tensor &value) {
  auto run = values.find(name);
  if (run == values.end() || !hasElementsOf(run->second, value)) {
    ++unknown;
    return success();
  }
  ++found;
  run->second.type.shape = value.shape;
  std::string difference = interpreter::compare(run->second, value, elements);
  if (!difference.empty())
    return fail("step " + std::to_string(step) + ": " + what + " '" + name +
                "' differs from the reference, of the run's own operands: " +
                difference),
           failure();
  value = Tensor::ofBytes(type, run->second.bytes);
  return success();
}

LogicalResult RunComparison::observe(OpResult result, Tensor &value) {
  auto type = dyn_cast<RankedTensorType>(result.getType());
  StringAttr name = tfir::getNodeName(result.getOwner());
  if (!hasStep || !type || !name ||
      value.kind == interpreter::ElementKind::String)
    return success();
  std::string full = name.str();
  if (unsigned number = result.getResultNumber())
    full += ":" + std::to_string(number);
  return check(full, result.getOwner()->getName().getStringRef().str(), type,
               value);
}

LogicalResult RunComparison::endStep(interpreter::Interpreter &reference,
                                     ModuleOp module) {
  if (!hasStep)
    return success();
  for (auto variable : module.getOps<tfir::VariableOp>()) {
    std::string name = variable.getSymName().str();
    const Tensor *own = reference.variable(name);
    auto type = dyn_cast<RankedTensorType>(variable.getType());
    if (!own || !type)
      continue;
    Tensor value = *own;
    if (failed(check("variables/" + name, "variable", type, value)))
      return failure();
    reference.setVariable(name, std::move(value));
  }
  return success();
}

} // namespace graphc
