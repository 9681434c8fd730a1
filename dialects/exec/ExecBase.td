// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The dialect, its slot type and base class.
#ifndef GRAPHC_DIALECTS_EXEC_EXECBASE
#define GRAPHC_DIALECTS_EXEC_EXECBASE

include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/EnumAttr.td"
include "mlir/IR/OpBase.td"
include "mlir/IR/SymbolInterfaces.td"
include "mlir/Interfaces/SideEffectInterfaces.td"
include "dialects/tfir/TfirInterfaces.td"

def Exec_Dialect : Dialect {
  let name = "exec";
  let cppNamespace = "::graphc::exec";
  let summary = "the program language: when, and in which memory";
  let description = [{
    A program is what one device does in one step of one graph: instructions in
    order, over slots of memory whose places are fixed. model.bin is its
    serialisation.
  }];
  let useDefaultTypePrinterParser = 1;
  // Of modules, `member`: the number of workers that the plan is for, where a
  // model has several; `separate_rounding`: each product and each sum outside of
  // micro-kernels is rounded, so that the bits do not depend on which ops share a
  // kernel. Of kernels in their final form, `units`: the number of independent
  // tiles; `scratch`: bytes of memory that each thread needs; `block`: threads of
  // a block. Of an argument of a kernel, `step_state_word`: it is this 32-bit word
  // of the step's state. Of a result, `inplace`: it is written over this argument.
  let discardableAttrs = (ins "::mlir::IntegerAttr":$member,
                              "::mlir::UnitAttr":$separate_rounding,
                              "::mlir::IntegerAttr":$units,
                              "::mlir::IntegerAttr":$scratch,
                              "::mlir::IntegerAttr":$block,
                              "::mlir::IntegerAttr":$step_state_word,
                              "::mlir::IntegerAttr":$inplace);
  let hasOperationAttrVerify = 1;
  let hasRegionArgAttrVerify = 1;
  let hasRegionResultAttrVerify = 1;
  // Programs name their device.
  let dependentDialects = ["::graphc::tfir::TfirDialect"];
}

def Exec_SlotType : TypeDef<Exec_Dialect, "Slot"> {
  let mnemonic = "slot";
  let summary = "a place in memory that holds a tensor";
  let parameters = (ins "::mlir::RankedTensorType":$tensor);
  let assemblyFormat = "`<` $tensor `>`";
  let extraClassDeclaration = [{
    /// Bytes of the tensor; 0 for strings, whose size is that of their constant.
    int64_t getBytes();
  }];
}

// #tfir.device.
def Exec_DeviceAttr : Attr<CPred<"::mlir::isa<::graphc::tfir::DeviceAttr>($_self)">,
                           "a device"> {
  let storageType = "::graphc::tfir::DeviceAttr";
  let returnType = "::graphc::tfir::DeviceAttr";
  let convertFromStorage = "$_self";
}

// #tfir.instance.
def Exec_InstanceAttr : Attr<
    CPred<"::mlir::isa<::graphc::tfir::InstanceAttr>($_self)">, "an instance"> {
  let storageType = "::graphc::tfir::InstanceAttr";
  let returnType = "::graphc::tfir::InstanceAttr";
  let convertFromStorage = "$_self";
}

class Exec_Op<string mnemonic, list<Trait> traits = []> :
    Op<Exec_Dialect, mnemonic, [NodeOpInterface] # traits>;

#endif
