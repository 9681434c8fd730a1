// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The dialect, its slot type and base class.
#ifndef GRAPHC_DIALECTS_EXEC_EXECBASE
#define GRAPHC_DIALECTS_EXEC_EXECBASE

include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/EnumAttr.td"
include "mlir/IR/OpBase.td"
include "mlir/IR/SymbolInterfaces.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

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

class Exec_Op<string mnemonic, list<Trait> traits = []> :
    Op<Exec_Dialect, mnemonic, traits>;

#endif
