// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// graphc-tblgen: writes what the text language has to know of the operations
// and attributes of a dialect, from their definitions (.td), as rows of C++
// tables for lib/text/Signatures.cpp. Runs while graphc is built.
#include "mlir/TableGen/AttrOrTypeDef.h"
#include "mlir/TableGen/EnumInfo.h"
#include "mlir/TableGen/Operator.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/TableGen/Error.h"
#include "llvm/TableGen/Main.h"
#include "llvm/TableGen/Record.h"

using llvm::StringRef;

namespace {

/// Prints a string of C++.
struct Quoted {
  StringRef text;
};

llvm::raw_ostream &operator<<(llvm::raw_ostream &os, Quoted quoted) {
  os << '"';
  os.write_escaped(quoted.text);
  return os << '"';
}

/// Returns the enumerator of ArgumentKind for an attribute.
StringRef kindOf(const mlir::tblgen::Attribute &attr) {
  return llvm::StringSwitch<StringRef>(attr.getBaseAttr().getDefName())
      .Case("I64Attr", "Integer")
      .Case("F64Attr", "Float")
      .Case("BoolAttr", "Bool")
      .Case("UnitAttr", "Unit")
      .Cases({"StrAttr", "SymbolNameAttr"}, "String")
      .Case("DenseI64ArrayAttr", "IntegerList")
      .Case("FlatSymbolRefAttr", "Symbol")
      .Case("FlatSymbolRefArrayAttr", "SymbolList")
      .Case("StrArrayAttr", "StringList")
      .Case("Tfir_Transforms", "AttributeList")
      .Case("Tfir_FeatureColumns", "ColumnList")
      .Case("ElementsAttr", "Elements")
      .Case("Tfir_DeviceAttr", "Device")
      .Default("Attribute");
}

/// Returns "link=0,peak=2" for an enumeration, "" for other attributes.
std::string casesOf(const mlir::tblgen::Attribute &attr) {
  mlir::tblgen::Attribute base = attr.getBaseAttr();
  if (!base.getDef().isSubClassOf("EnumInfo"))
    return "";
  std::string cases;
  for (const mlir::tblgen::EnumCase &each :
       mlir::tblgen::EnumInfo(base.getDef()).getAllCases())
    cases += (cases.empty() ? "" : ",") + each.getStr().str() + "=" +
             std::to_string(each.getValue());
  return cases;
}

/// Prints ARGUMENT rows of an operation in the order in which a call gives
/// them: as they are declared, the one that tells the result types after the
/// operands.
class Arguments {
public:
  Arguments(llvm::raw_ostream &os, const mlir::tblgen::Operator &op)
      : os(os), op(op) {}

  unsigned print();

private:
  void row(StringRef name, StringRef kind, bool variadic, bool optional,
           StringRef summary, StringRef cases = "") {
    os << "ARGUMENT(" << Quoted{name} << ", " << kind << ", " << variadic
       << ", " << optional << ", " << Quoted{cases} << ", " << Quoted{summary}
       << ")\n";
    ++count;
  }

  void attribute(const mlir::tblgen::NamedAttribute &named) {
    bool optional = named.attr.isOptional() || named.attr.hasDefaultValue() ||
                    kindOf(named.attr) == "Unit";
    std::string cases = casesOf(named.attr);
    row(named.name, cases.empty() ? kindOf(named.attr) : "Enumeration", false,
        optional, named.attr.getSummary(), cases);
  }

  llvm::raw_ostream &os;
  const mlir::tblgen::Operator &op;
  unsigned count = 0;
};

unsigned Arguments::print() {
  int operands = op.getNumOperands();
  StringRef rule;
  if (op.getDef().isSubClassOf("Tfir_ResultsBy"))
    rule = op.getDef().getValueAsString("resultRule");
  auto typeArgument = [&] {
    if (rule == "shape")
      row("shape", "Shape", false, false, "sizes of the dimensions");
    else if (rule == "dtype")
      row("dtype", "ElementType", false, false, "element type");
  };
  if (operands == 0)
    typeArgument();
  for (int i = 0; i < op.getNumArgs(); ++i) {
    mlir::tblgen::Argument argument = op.getArg(i);
    if (auto *value =
            llvm::dyn_cast<mlir::tblgen::NamedTypeConstraint *>(argument)) {
      row(value->name, "Operand", value->isVariadic(), value->isOptional(),
          value->constraint.getSummary());
      if (--operands == 0)
        typeArgument();
    } else if (auto *named =
                   llvm::dyn_cast<mlir::tblgen::NamedAttribute *>(argument)) {
      attribute(*named);
    }
  }
  return count;
}

void printOp(llvm::raw_ostream &os, const mlir::tblgen::Operator &op) {
  unsigned arguments = Arguments(os, op).print();
  const llvm::Record &def = op.getDef();
  StringRef rule = "none", from;
  if (def.isSubClassOf("Tfir_ResultsBy")) {
    rule = def.getValueAsString("resultRule");
    from = def.getValueAsString("resultFrom");
  }
  bool variadic = op.getNumResults() > 0 &&
                  op.getResult(op.getNumResults() - 1).isVariadic();
  os << "OPERATION("
     << Quoted{StringRef(op.getOperationName()).split('.').second} << ", "
     << arguments << ", " << op.getNumResults() << ", " << variadic << ", by_"
     << rule << ", " << Quoted{from} << ", " << op.getNumRegions() << ", "
     << Quoted{op.getSummary()} << ")\n";
}

void printAttr(llvm::raw_ostream &os, const mlir::tblgen::AttrDef &def) {
  unsigned count = 0;
  for (const mlir::tblgen::AttrOrTypeParameter &parameter :
       def.getParameters()) {
    os << "PARAMETER(" << Quoted{parameter.getName()} << ", "
       << parameter.isOptional() << ", "
       << Quoted{parameter.getSummary().value_or("")} << ")\n";
    ++count;
  }
  StringRef format = def.getAssemblyFormat().value_or("");
  os << "ATTRIBUTE(" << Quoted{def.getMnemonic().value_or("")} << ", " << count
     << ", " << format.contains("struct(") << ", " << Quoted{def.getSummary()}
     << ")\n";
}

/// Writes a file that is included once for each kind of row: operations and
/// attributes follow the rows of their arguments.
bool writeSignatures(llvm::raw_ostream &os, const llvm::RecordKeeper &records) {
  for (const llvm::Record *def : records.getAllDerivedDefinitions("Op"))
    printOp(os, mlir::tblgen::Operator(def));
  for (const llvm::Record *def : records.getAllDerivedDefinitions("AttrDef"))
    if (mlir::tblgen::AttrDef attr(def); attr.getMnemonic())
      printAttr(os, attr);
  os << "#undef ARGUMENT\n#undef OPERATION\n#undef PARAMETER\n"
        "#undef ATTRIBUTE\n";
  return false;
}

} // namespace

int main(int argc, char **argv) {
  llvm::cl::ParseCommandLineOptions(
      argc, argv, "graphc-tblgen: signatures of a dialect's operations\n");
  return llvm::TableGenMain(argv[0], &writeSignatures);
}
