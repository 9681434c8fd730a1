// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The bases of all attributes, and the forms of their parameters.
#ifndef GRAPHC_DIALECTS_TFIR_TFIRATTRBASE
#define GRAPHC_DIALECTS_TFIR_TFIRATTRBASE

include "dialects/tfir/TfirBase.td"
include "dialects/tfir/training/TfirAttrInterfaces.td"

class Tfir_Attr<string name, string attrMnemonic, list<Trait> traits = []> :
    AttrDef<Tfir_Dialect, name, traits> {
  let mnemonic = attrMnemonic;
}

// A number, written with or without a decimal point.
class Tfir_Number_<string desc> : AttrParameter<"::graphc::tfir::Number", desc> {
  let parser = "::graphc::tfir::parseNumber($_parser)";
  let printer = "::graphc::tfir::printNumber($_printer, $_self)";
}
class Tfir_DefaultNumber<string desc, string value> : Tfir_Number_<desc> {
  let defaultValue = "::graphc::tfir::Number(" # value # ")";
}

// A list of numbers between brackets, as an array of f64 attributes.
class Tfir_Numbers<string desc> : AttrParameter<"::mlir::ArrayAttr", desc> {
  let parser = "::graphc::tfir::parseNumbers($_parser)";
  let printer = "::graphc::tfir::printNumbers($_printer, $_self)";
}

// A number or a schedule attribute.
def Tfir_Rate : AttrParameter<"::mlir::Attribute", "learning rate"> {
  let parser = "::graphc::tfir::parseRate($_parser)";
  let printer = "::graphc::tfir::printRate($_printer, $_self)";
}

// Any attribute with the interface.
def Tfir_AnyOptimizer : Attr<
    CPred<"::llvm::isa<::graphc::tfir::OptimizerAttrInterface>($_self)">,
    "an optimizer"> {
  let storageType = "::mlir::Attribute";
  let returnType = "::graphc::tfir::OptimizerAttrInterface";
  let convertFromStorage =
      "::llvm::cast<::graphc::tfir::OptimizerAttrInterface>($_self)";
}

#endif
