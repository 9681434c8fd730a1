// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The interfaces of feature columns: of all, of those with numbers and of those
// with categories.
#ifndef GRAPHC_DIALECTS_TFIR_OPS_FEATURES_TFIRCOLUMNINTERFACES
#define GRAPHC_DIALECTS_TFIR_OPS_FEATURES_TFIRCOLUMNINTERFACES

include "mlir/IR/OpBase.td"

def Tfir_FeatureColumn : AttrInterface<"FeatureColumnAttrInterface"> {
  let cppNamespace = "::graphc::tfir";
  let description = [{
    Is a column of features: what becomes of some of an op's operands, which it
    names by their keys. The interpreter has each column once more, on purpose.
  }];
  let methods = [
    InterfaceMethod<
      "Returns the name by which TensorFlow sorts columns: `age_bucketized`.",
      "std::string", "getColumnName", (ins)>,
    InterfaceMethod<
      "Returns what it is called in a text.",
      "::llvm::StringRef", "getColumnKind", (ins), [{}],
      [{ return ConcreteAttr::getMnemonic(); }]>,
    InterfaceMethod<
      "Adds the keys of the features and tables that it reads.",
      "void", "collectKeys", (ins "::graphc::tfir::ColumnKeys &":$keys)>,
    InterfaceMethod<
      [{Checks the types of what it reads, whose keys are there; fails after an
        error.}],
      "::llvm::LogicalResult", "verifyTypes",
      (ins "const ::graphc::tfir::Features &":$features)>];
}

def Tfir_DenseColumn : AttrInterface<"DenseColumnAttrInterface"> {
  let cppNamespace = "::graphc::tfir";
  let description = "Is a column of numbers, as many for each example.";
  let methods = [
    InterfaceMethod<
      "Returns how many numbers an example has; may not be known yet.",
      "int64_t", "getWidth", (ins "const ::graphc::tfir::Features &":$features)>,
    InterfaceMethod<
      "Builds them: f32 of [batch, width].",
      "::mlir::Value", "buildNumbers", (ins "::graphc::tfir::ColumnExpr &":$e)>];
}

def Tfir_CategoricalColumn : AttrInterface<"CategoricalColumnAttrInterface"> {
  let cppNamespace = "::graphc::tfir";
  let description = [{
    Is a column of categories, of which an example may have several, or none.
  }];
  let methods = [
    InterfaceMethod<"Returns how many categories there are.",
      "int64_t", "getNumBuckets", (ins)>,
    InterfaceMethod<
      [{Builds those of each example: i64 of [batch, values], from 0 on; -1 for
        none.}],
      "::mlir::Value", "buildCategories",
      (ins "::graphc::tfir::ColumnExpr &":$e)>];
}

#endif
