// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "test/lib/target/cuda/HostGpu.h"

#include "lib/target/common/LowerToLlvm.h"
#include "test/lib/target/cuda/BlockOfFibers.h"

#include "mlir/Target/LLVMIR/Export.h"
#include "llvm/ExecutionEngine/Orc/LLJIT.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/Support/TargetSelect.h"

#include <cstdlib>
#include <cstring>

using namespace mlir;

namespace graphc {
namespace {

[[noreturn]] void fail(const std::string &message) {
  llvm::errs() << "GPU kernels on the host: " << message << "\n";
  std::exit(1);
}

template <typename T> T valueOf(llvm::Expected<T> value) {
  if (!value)
    fail(llvm::toString(value.takeError()));
  return std::move(*value);
}

struct Substitute {
  const char *intrinsic;
  const char *name;
  void *address;
};

const Substitute kSubstitutes[] = {
    {"llvm.nvvm.read.ptx.sreg.tid.x", "graphcThreadNumber",
     reinterpret_cast<void *>(&graphcThreadNumber)},
    {"llvm.nvvm.read.ptx.sreg.ctaid.x", "graphcBlockNumber",
     reinterpret_cast<void *>(&graphcBlockNumber)},
    {"llvm.nvvm.barrier.cta.sync.aligned.all", "graphcBarrier",
     reinterpret_cast<void *>(&graphcBarrier)},
    {"llvm.nvvm.shfl.sync.bfly.i32", "graphcShuffleXor",
     reinterpret_cast<void *>(&graphcShuffleXor)},
    {"llvm.nvvm.shfl.sync.bfly.f32", "graphcShuffleXorFloat",
     reinterpret_cast<void *>(&graphcShuffleXorFloat)}};

void substituteIntrinsics(llvm::Module &module) {
  for (const Substitute &substitute : kSubstitutes)
    if (llvm::Function *function = module.getFunction(substitute.intrinsic)) {
      auto callee = module.getOrInsertFunction(substitute.name,
                                               function->getFunctionType());
      function->replaceAllUsesWith(callee.getCallee());
      function->eraseFromParent();
    }
}

/// void call_NAME(ptr arguments), which loads them and calls NAME.
void addCaller(llvm::Module &module, llvm::Function &entry) {
  llvm::LLVMContext &context = module.getContext();
  entry.setCallingConv(llvm::CallingConv::C);
  auto pointer = llvm::PointerType::getUnqual(context);
  auto type =
      llvm::FunctionType::get(llvm::Type::getVoidTy(context), {pointer}, false);
  auto caller = llvm::Function::Create(type, llvm::Function::ExternalLinkage,
                                       "call_" + entry.getName(), module);
  llvm::IRBuilder<> b(llvm::BasicBlock::Create(context, "", caller));
  SmallVector<llvm::Value *> arguments;
  for (unsigned i = 0; i < entry.arg_size(); ++i)
    arguments.push_back(b.CreateLoad(
        pointer, b.CreateConstGEP1_64(pointer, caller->getArg(0), i)));
  b.CreateCall(&entry, arguments);
  b.CreateRetVoid();
}

} // namespace

HostGpu::HostGpu(ModuleOp module) {
  SmallVector<func::FuncOp> funcs(module.getOps<func::FuncOp>());
  llvm::StringSet<> entries;
  for (func::FuncOp func : funcs) {
    FailureOr<GpuKernel> kernel = emitGpuKernel(func, entries);
    if (failed(kernel))
      fail("a kernel cannot be emitted");
    kernels[kernel->name] = *kernel;
  }
  if (failed(lowerBodiesToLlvm(module)))
    fail("the kernels cannot be lowered");
  auto context = std::make_unique<llvm::LLVMContext>();
  auto code = translateModuleToLLVMIR(module, *context, "gpu");
  if (!code)
    fail("the kernels cannot be translated");
  substituteIntrinsics(*code);
  for (const auto &[name, kernel] : kernels)
    for (const GpuLaunch &launch : kernel.launches)
      addCaller(*code, *code->getFunction(launch.entry));

  llvm::InitializeNativeTarget();
  llvm::InitializeNativeTargetAsmPrinter();
  jit = valueOf(llvm::orc::LLJITBuilder().create());
  llvm::orc::SymbolMap symbols;
  for (const Substitute &substitute : kSubstitutes)
    symbols[jit->mangleAndIntern(substitute.name)] = {
        llvm::orc::ExecutorAddr::fromPtr(substitute.address),
        llvm::JITSymbolFlags::Exported};
  if (auto error = jit->getMainJITDylib().define(
          llvm::orc::absoluteSymbols(std::move(symbols))))
    fail(llvm::toString(std::move(error)));
  if (auto error = jit->addIRModule(
          llvm::orc::ThreadSafeModule(std::move(code), std::move(context))))
    fail(llvm::toString(std::move(error)));
}

HostGpu::~HostGpu() = default;

void HostGpu::run(const std::string &name, std::vector<void *> buffers,
                  bool descending) const {
  const GpuKernel &kernel = kernels.at(name);
  std::unique_ptr<void, decltype(&std::free)> scratch(
      std::aligned_alloc(64, (kernel.scratch + 64) / 64 * 64), &std::free);
  memset(scratch.get(), 0xff, kernel.scratch);
  if (kernel.scratch)
    buffers.push_back(scratch.get());
  for (const GpuLaunch &launch : kernel.launches) {
    auto call =
        valueOf(jit->lookup("call_" + launch.entry)).toPtr<void (*)(void **)>();
    for (unsigned i = 0; i < launch.grid; ++i)
      runBlockOfFibers(descending ? launch.grid - 1 - i : i, launch.block,
                       descending, [&] { call(buffers.data()); });
  }
}

} // namespace graphc
