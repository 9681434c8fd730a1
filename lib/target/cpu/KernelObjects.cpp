// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/target/cpu/KernelObjects.h"

#include "lib/target/common/KernelAttrs.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Target/LLVMIR/Export.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/Support/SHA256.h"

using namespace mlir;

namespace graphc {
namespace {

/// Bytes of a hash that tell the entries of an image apart.
constexpr size_t kSymbolBytes = 16;

/// LLVM IR of a module, whose names say nothing but those that others know.
class Translation {
public:
  explicit Translation(ModuleOp kernel)
      : module(translateModuleToLLVMIR(kernel, context, "graphc")) {
    if (!module)
      return;
    for (llvm::GlobalValue &value : module->global_values())
      if (value.hasLocalLinkage())
        value.setName("");
      else if (!value.isDeclaration())
        entry = &value;
    if (!entry)
      return;
    name = entry->getName();
    if (!entry->hasWeakODRLinkage())
      entry->setName("");
  }

  bool hasNamelessEntry() const { return entry && !entry->hasName(); }

  llvm::LLVMContext context;
  std::unique_ptr<llvm::Module> module; ///< null after a diagnostic
  llvm::GlobalValue *entry = nullptr;   ///< null in a module without functions
  std::string name;                     ///< of the entry in the dialect
};

std::string symbolOf(ArrayRef<char> bitcode, OptLevel optLevel) {
  auto *bytes = reinterpret_cast<const uint8_t *>(bitcode.data());
  std::array<uint8_t, 32> hash =
      llvm::SHA256::hash(ArrayRef(bytes, bitcode.size()));
  return "gk" + choiceName(optLevel).str() + "_" +
         llvm::toHex(ArrayRef(hash).take_front(kSymbolBytes),
                     /*LowerCase=*/true);
}

/// Compiling a kernel of first values takes longer than running it.
OptLevel optLevelOf(ModuleOp kernel, OptLevel wanted) {
  bool isForFirstValues =
      llvm::any_of(kernel.getOps<LLVM::LLVMFuncOp>(),
                   [](Operation *function) { return runsOnce(function); });
  return isForFirstValues ? OptLevel::None : wanted;
}

} // namespace

FailureOr<KernelObjects>
compileKernel(ModuleOp kernel, ArrayRef<StringRef> isas, OptLevel optLevel,
              ObjectCompiler &compiler, CodeCache &cache) {
  auto translation = std::make_unique<Translation>(kernel);
  if (!translation->module)
    return failure();
  optLevel = optLevelOf(kernel, optLevel);
  CodeCache::Code bitcode = bitcodeOf(*translation->module);
  KernelObjects code;
  code.name = translation->name;
  code.symbol =
      translation->hasNamelessEntry() ? symbolOf(bitcode, optLevel) : code.name;
  for (StringRef isa : isas) {
    std::string key =
        CodeCache::keyOf(bitcode, (isa + " -O" + choiceName(optLevel)).str());
    if (std::optional<CodeCache::Code> known = cache.find(key)) {
      code.objects.push_back(std::move(*known));
      continue;
    }
    // LLVM changes a module as it compiles it, and a copy of one is not quite
    // the same.
    if (!translation)
      translation = std::make_unique<Translation>(kernel);
    if (translation->entry)
      translation->entry->setName(code.symbol);
    auto object = compiler.compile(*translation->module, isa, optLevel);
    translation = nullptr;
    if (!object)
      return kernel.emitError()
             << isa << ": " << llvm::toString(object.takeError());
    cache.add(key, *object);
    code.objects.push_back(std::move(*object));
  }
  return code;
}

} // namespace graphc
