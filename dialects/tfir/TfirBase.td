// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The dialect, the type constraints and the base classes of its ops.
#ifndef GRAPHC_DIALECTS_TFIR_TFIRBASE
#define GRAPHC_DIALECTS_TFIR_TFIRBASE

include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/EnumAttr.td"
include "mlir/IR/OpBase.td"
include "mlir/IR/OpAsmInterface.td"
include "mlir/IR/SymbolInterfaces.td"
include "mlir/Interfaces/ControlFlowInterfaces.td"
include "mlir/Interfaces/SideEffectInterfaces.td"
include "dialects/tfir/TfirInterfaces.td"
include "dialects/tfir/TfirProperties.td"

def Tfir_Dialect : Dialect {
  let name = "tfir";
  let cppNamespace = "::graphc::tfir";
  let summary = "the graph language: what is computed, and where";
  let description = [{
    Ops carry the meaning and, in snake case, the names of TensorFlow 1.x. Values
    are ranked tensors; state lives in variables of the module. Program order is
    the meaning: a `tfir.read` sees the last `tfir.assign` above it.

    Every op takes three optional attributes: `name` (otherwise a unique one is
    made from the kind of op, as in `MatMul_1`), `device` (a full or partial
    device name) and `colocate_with` (the name of another op).
  }];
  let useDefaultAttributePrinterParser = 1;
  let useDefaultTypePrinterParser = 1;
  let hasConstantMaterializer = 1;
  // Of a module: the name of the target of CPUs, where it is not the usual one.
  // Of a linalg.generic: the dimension along which it concatenates the tensors
  // that it extracts from, in the order of the extracts.
  let discardableAttrs = (ins "::mlir::StringAttr":$cpu_target,
                              "::mlir::IntegerAttr":$join);
  let hasOperationAttrVerify = 1;
  let extraClassDeclaration = [{
    void registerAttributes();
    void registerNodeAttrs();

    /// Names of the attributes of NodeOpInterface, by NodeAttr.
    ::mlir::StringAttr getNodeAttrName(NodeAttr which) const {
      return nodeAttrNames[static_cast<unsigned>(which)];
    }

  private:
    ::mlir::StringAttr nodeAttrNames[kNodeAttrs];

  public:
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect",
                           "::mlir::linalg::LinalgDialect",
                           "::mlir::math::MathDialect",
                           "::mlir::scf::SCFDialect",
                           "::mlir::tensor::TensorDialect"];
}

def Tfir_StringType : TypeDef<Tfir_Dialect, "String"> {
  let mnemonic = "string";
  let summary = "a string, as an element of a constant tensor";
}

// Element types.
def Tfir_UI8 : UI<8>;
defvar floats = [F32, F64, F16, BF16];
defvar integers = [I32, I64, I8, I16, Tfir_UI8, UI<16>, UI<32>, UI<64>];
def Tfir_Float : AnyTypeOf<floats>;
def Tfir_Number : AnyTypeOf<floats # integers>;

// Tensors: always ranked; `?` dimensions until they are bound.
def Tfir_Tensor : RankedTensorOf<floats # integers # [I1, Tfir_StringType]>;
def Tfir_NumberTensor : RankedTensorOf<floats # integers>;
def Tfir_NumberOrBoolTensor : RankedTensorOf<floats # integers # [I1]>;
def Tfir_FloatTensor : RankedTensorOf<floats>;
def Tfir_F32Tensor : RankedTensorOf<[F32]>;
// The one type whose spelling can be left out.
def Tfir_F32Scalar :
    Type<And<[Tfir_F32Tensor.predicate, HasAnyRankOfPred<[0]>]>, "a float scalar",
         "::mlir::RankedTensorType">,
    BuildableType<"::mlir::RankedTensorType::get({}, $_builder.getF32Type())">;
def Tfir_I32Scalar :
    Type<And<[RankedTensorOf<[I32]>.predicate, HasAnyRankOfPred<[0]>]>,
         "an integer scalar", "::mlir::RankedTensorType">,
    BuildableType<"::mlir::RankedTensorType::get({}, $_builder.getI32Type())">;
def Tfir_BoolTensor : RankedTensorOf<[I1]>;
def Tfir_IntTensor : RankedTensorOf<[I32, I64]>;
def Tfir_IntegerTensor : RankedTensorOf<integers>;

// How a call in the text (docs/language.md) tells the types of the results, where
// they do not follow from operands and attributes by TypeInferable; read by
// graphc-tblgen. The rules:
// - "dtype": an argument has the element type, the operand the shape
// - "shape": an argument has the shape, the operand the element type, or it is f32
// - "variable": that of the variable which the attribute `from` names
// - "batch": the fields, after a batch, of the dataset that `from` names
// - "operands": those of the operands `from`
class Tfir_ResultsBy<string rule, string from = ""> {
  string resultRule = rule;
  string resultFrom = from;
}

// Assembly `%x, %y {attributes} : (types) -> types` (CallForm.h).
defvar callForm = [{
  ::mlir::ParseResult $cppClass::parse(::mlir::OpAsmParser &parser,
                                       ::mlir::OperationState &state) {
    return ::graphc::tfir::parseCallForm(parser, state);
  }
  void $cppClass::print(::mlir::OpAsmPrinter &printer) {
    ::graphc::tfir::printCallForm(*this, printer);
  }
}];

class Tfir_Op<string mnemonic, list<Trait> traits = []> :
    Op<Tfir_Dialect, mnemonic, [NodeOpInterface] # traits>;

// An op that computes tensors from tensors, printed with its function type; the
// types of its results follow from its operands and attributes.
class Tfir_ComputeOp<string mnemonic, list<Trait> traits = []> :
    Tfir_Op<mnemonic, [Pure, Placeable, DeclareOpInterfaceMethods<TypeInferable>]
                      # traits> {
  let hasCustomAssemblyFormat = 1;
  let extraClassDefinition = callForm;
}

// The scalar function of an elementwise op: see Elementwise::buildScalar.
class Tfir_ElementwiseOp<string mnemonic, list<Trait> traits = []> :
    Tfir_Op<mnemonic, [Pure, Placeable, DeclareOpInterfaceMethods<TypeInferable>,
                       DeclareOpInterfaceMethods<Tfir_Elementwise>] # traits> {
  let hasCustomAssemblyFormat = 1;
  let extraClassDefinition = callForm;
}

#endif
