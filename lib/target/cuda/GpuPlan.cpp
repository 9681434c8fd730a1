// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A kernel around a contraction becomes
//
//   code     operands in the form of the library, where they have another one
//   library  the contraction with a bias and relu; a matrix product with update
//   code     the rest of the ops after it
//
// The library's result lies where a result of the kernel will be, if there is
// one of the same type that it may overwrite.
#include "lib/target/cuda/GpuPlan.h"

#include "dialects/tfir/MatmulBatch.h"
#include "dialects/tfir/Support.h"
#include "lib/target/common/FindContraction.h"
#include "lib/target/common/KernelAttrs.h"
#include "lib/target/common/plain/PlainMatmul.h"
#include "lib/target/cuda/GpuEpilogue.h"
#include "lib/target/cuda/GpuRearrange.h"
#include "lib/target/cuda/UnfusedEpilogue.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"

#include <optional>

using namespace mlir;
using namespace graphc::tfir;

namespace graphc {

namespace {

/// Smaller workspaces would spare nothing, larger ones make little faster.
constexpr int64_t kMinWorkspace = int64_t(1) << 20;
constexpr int64_t kMaxWorkspace = int64_t(64) << 20;
/// A convolution's algorithms keep tensors in other layouts there.
constexpr int64_t kConvolutionCopies = 4;

int64_t workspaceFor(int64_t elements) {
  return std::clamp<int64_t>(
      llvm::alignTo(elements * int64_t(sizeof(float)), 256), kMinWorkspace,
      kMaxWorkspace);
}

class Planner {
public:
  explicit Planner(func::FuncOp kernel)
      : kernel(kernel), root(findContraction(kernel)), rearrange(kernel) {
    plan.name = kernel.getSymName().str();
    plan.buffers = kernel.getNumArguments();
    for (unsigned i = 0; i < kernel.getNumResults(); ++i) {
      IntegerAttr over = overwrittenArgument(kernel, i);
      resultBuffers.push_back(over ? over.getInt() : plan.buffers++);
    }
  }

  GpuKernelPlan run();

private:
  void expandBatch();
  void findEpilogue();
  bool takeUpdate(GpuMatmulCall &call);
  exec::GpuEpilogue takeEpilogue(SmallVectorImpl<int64_t> &biases);
  void chooseTarget();
  void addMatmul(const MatmulSpec &spec);
  void addConvolution(const Conv2DSpec &spec);
  void addBackwardData(const Conv2DSpec &spec);
  void addBackwardFilter(const Conv2DSpec &spec);
  void readInOrder(Type stored, ArrayRef<unsigned> order);
  void addEpilogue();

  int64_t bufferOf(Value argument) const {
    return cast<BlockArgument>(argument).getArgNumber();
  }
  /// The buffer of the contraction's operand at `index`.
  int64_t operandBuffer(unsigned index) {
    return bufferOf(root->getOperand(index));
  }
  int64_t addValue(Type type) {
    plan.values.push_back(exec::tensorBytes(cast<RankedTensorType>(type)));
    return plan.buffers + static_cast<int64_t>(plan.values.size()) - 1;
  }
  void addCode(func::FuncOp code, ArrayRef<int64_t> buffers) {
    plan.stages.push_back(
        {GpuCodeCall{code.getSymName().str()}, SmallVector<int64_t>(buffers)});
  }
  /// Adds a call of `code` on a buffer; returns a buffer of its own.
  int64_t rearranged(func::FuncOp code, int64_t buffer) {
    int64_t made = addValue(code.getResultTypes().front());
    addCode(code, {buffer, made});
    return made;
  }
  int64_t padded(const Conv2DSpec &spec, int64_t images) {
    return paddingOf(spec).isSymmetric()
               ? images
               : rearranged(rearrange.pad(spec), images);
  }

  func::FuncOp kernel;
  ContractionInterface root; ///< null: all is code
  GpuRearrange rearrange;
  GpuKernelPlan plan;
  SmallVector<int64_t> resultBuffers; ///< by result of the kernel
  linalg::GenericOp rest;             ///< all that is after the contraction
  unsigned accumulator = 0; ///< the input of `rest` that is its result
  /// By result of the kernel: the library writes it.
  std::optional<unsigned> fromLibrary;
  int64_t target = -1; ///< the buffer that the library writes
};

void Planner::findEpilogue() {
  for (auto generic : kernel.getOps<linalg::GenericOp>())
    rest = generic;
  if (!rest)
    return;
  for (auto [i, input] : llvm::enumerate(rest.getInputs()))
    if (input.getDefiningOp() == root)
      accumulator = i;
}

/// Chooses the buffer of the library's result: a result that it is, else one of
/// its type that is written afterwards, else memory of its own.
void Planner::chooseTarget() {
  auto ret = cast<func::ReturnOp>(kernel.getBody().front().getTerminator());
  std::optional<unsigned> overwritten;
  for (auto [i, value] : llvm::enumerate(ret.getOperands())) {
    bool isNew = !overwrittenArgument(kernel, i);
    bool isProduct = value.getDefiningOp() == root;
    if (rest && value.getDefiningOp() == rest)
      isProduct = rest.getBody()->getTerminator()->getOperand(
                      cast<OpResult>(value).getResultNumber()) ==
                  rest.getBody()->getArgument(accumulator);
    if (isProduct && isNew && !fromLibrary)
      fromLibrary = i;
    if (isNew && !overwritten &&
        value.getType() == root->getResult(0).getType())
      overwritten = i;
  }
  if (fromLibrary)
    target = resultBuffers[*fromLibrary];
  else if (overwritten)
    target = resultBuffers[*overwritten];
  else
    target = addValue(root->getResult(0).getType());
}

/// All that is after the product, if it updates a tensor.
bool Planner::takeUpdate(GpuMatmulCall &call) {
  if (!rest)
    return false;
  std::optional<GpuUpdate> update = matchUpdate(rest, accumulator);
  if (!update)
    return false;
  int64_t updated = bufferOf(rest.getInputs()[update->target]);
  if (resultBuffers.size() != 1 || resultBuffers[0] != updated ||
      updated == operandBuffer(0) || updated == operandBuffer(1))
    return false;
  call.alpha = update->scale;
  call.beta = 1;
  fromLibrary = 0;
  target = updated;
  return true;
}

/// A bias, whose buffer is appended to `biases`, and a relu, if they come
/// first.
exec::GpuEpilogue Planner::takeEpilogue(SmallVectorImpl<int64_t> &biases) {
  if (!rest)
    return exec::GpuEpilogue::None;
  GpuEpilogue epilogue = graphc::takeEpilogue(rest, accumulator);
  if (epilogue.bias)
    biases.push_back(bufferOf(rest.getInputs()[*epilogue.bias]));
  return epilogue.kind;
}

void Planner::addMatmul(const MatmulSpec &spec) {
  GpuMatmulCall call{spec};
  SmallVector<int64_t> biases;
  if (!takeUpdate(call)) {
    call.epilogue = takeEpilogue(biases);
    chooseTarget();
  }
  GpuStagePlan stage{call, {operandBuffer(0), operandBuffer(1), target}};
  stage.buffers.append(biases);
  plan.stages.push_back(stage);
}

/// The convolution of what the library is given, if that was padded.
Conv2DSpec symmetric(Conv2DSpec spec) {
  ImagePadding padding = paddingOf(spec);
  if (padding.isSymmetric())
    return spec;
  spec.inHeight += padding.top + padding.bottom;
  spec.inWidth += padding.left + padding.right;
  spec.padTop = spec.padLeft = 0;
  return spec;
}

void Planner::addConvolution(const Conv2DSpec &spec) {
  SmallVector<int64_t> biases;
  exec::GpuEpilogue epilogue = takeEpilogue(biases);
  chooseTarget();
  int64_t images = padded(spec, operandBuffer(0));
  int64_t filter = rearranged(rearrange.filter(spec), operandBuffer(1));
  GpuStagePlan stage{GpuConvolutionCall{exec::GpuConvolutionKind::Forward,
                                        symmetric(spec), epilogue},
                     {images, filter, target}};
  stage.buffers.append(biases);
  plan.stages.push_back(stage);
}

void Planner::addBackwardData(const Conv2DSpec &spec) {
  chooseTarget();
  int64_t filter = rearranged(rearrange.filter(spec), operandBuffer(0));
  func::FuncOp crop;
  int64_t images = target;
  if (!paddingOf(spec).isSymmetric()) {
    crop = rearrange.crop(spec);
    images = addValue(crop.getArgumentTypes().front());
  }
  plan.stages.push_back(
      {GpuConvolutionCall{exec::GpuConvolutionKind::BackwardData,
                          symmetric(spec)},
       {operandBuffer(1), filter, images}});
  if (crop)
    addCode(crop, {images, target});
}

/// Lets `rest` read the contraction's result in the library's order: element
/// (d0, d1, ...) of the result is that at `order` there.
void Planner::readInOrder(Type stored, ArrayRef<unsigned> order) {
  OpBuilder b(rest);
  auto type = cast<RankedTensorType>(stored);
  Value fromLibrary = tensor::EmptyOp::create(b, rest.getLoc(), type.getShape(),
                                              type.getElementType());
  SmallVector<AffineMap> maps = rest.getIndexingMapsArray();
  maps[accumulator] = AffineMap::getPermutationMap(order, b.getContext());
  rest.setIndexingMapsAttr(b.getAffineMapArrayAttr(maps));
  rest.getInputsMutable()[accumulator].assign(fromLibrary);
}

/// The library's filter has another order of dimensions. What is after the
/// gradient reads it so; a gradient alone is rearranged.
void Planner::addBackwardFilter(const Conv2DSpec &spec) {
  int64_t images = padded(spec, operandBuffer(0));
  func::FuncOp plain = rearrange.plainFilter(spec);
  Type stored = plain.getArgumentTypes().front();
  int64_t filter = addValue(stored);
  plan.stages.push_back(
      {GpuConvolutionCall{exec::GpuConvolutionKind::BackwardFilter,
                          symmetric(spec)},
       {images, operandBuffer(1), filter}});
  if (rest) {
    plain.erase();
    target = filter;
    return readInOrder(stored, {3, 0, 1, 2});
  }
  chooseTarget();
  addCode(plain, {filter, target});
}

void Planner::addEpilogue() {
  if (!rest)
    return;
  UnfusedEpilogue made =
      makeUnfusedEpilogue(kernel, rest, {target, resultBuffers, fromLibrary});
  if (made.code)
    addCode(made.code, made.buffers);
}

/// A batch of products is code of our own: the library's calls of the format
/// have one product each.
void Planner::expandBatch() {
  if (!root || batchOf(root).shape.empty())
    return;
  OpBuilder b(root);
  root->getResult(0).replaceAllUsesWith(buildPlainMatmul(b, root));
  root->erase();
  root = nullptr;
}

GpuKernelPlan Planner::run() {
  expandBatch();
  if (!root) {
    addCode(kernel, llvm::to_vector(llvm::seq<int64_t>(plan.buffers)));
    return plan;
  }
  findEpilogue();
  ContractionSpec spec = root.getSpec();
  switch (spec.kind) {
  case ContractionKind::Matmul:
    addMatmul(spec.matmul);
    break;
  case ContractionKind::Conv2D:
    addConvolution(spec.conv);
    break;
  case ContractionKind::Conv2DBackpropInput:
    addBackwardData(spec.conv);
    break;
  case ContractionKind::Conv2DBackpropFilter:
    addBackwardFilter(spec.conv);
    break;
  case ContractionKind::PrepareFilter:
    break; // made for CPUs only
  }
  addEpilogue();
  return plan;
}

} // namespace

GpuKernelPlan planGpuKernel(func::FuncOp kernel) {
  return Planner(kernel).run();
}

int64_t workspaceOf(const GpuMatmulCall &call) {
  const MatmulSpec &spec = call.spec;
  return workspaceFor(spec.m * spec.k + spec.k * spec.n + spec.m * spec.n);
}

int64_t workspaceOf(const GpuConvolutionCall &call) {
  const Conv2DSpec &spec = call.spec;
  return workspaceFor(
      kConvolutionCopies *
      (spec.batch * spec.inHeight * spec.inWidth * spec.inChannels +
       spec.filterElements() +
       spec.batch * spec.outHeight * spec.outWidth * spec.outChannels));
}

int64_t largestExtent(const GpuMatmulCall &call) {
  return std::max({call.spec.m, call.spec.n, call.spec.k});
}

int64_t largestExtent(const GpuConvolutionCall &call) {
  const Conv2DSpec &spec = call.spec;
  return std::max({spec.batch, spec.inHeight, spec.inWidth, spec.inChannels,
                   spec.outHeight, spec.outWidth, spec.outChannels,
                   spec.kernelHeight, spec.kernelWidth});
}

} // namespace graphc
