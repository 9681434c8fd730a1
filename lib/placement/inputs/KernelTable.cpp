// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/placement/inputs/KernelTable.h"

#include "runtime/base/DType.h"
#include "runtime/base/DeviceName.h"
#include "runtime/base/Suggest.h"
#include "runtime/base/Texts.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSwitch.h"

#include <limits>
#include <map>

using graphc::runtime::DeviceName;
using graphc::runtime::quote;
using graphc::runtime::Status;
using graphc::runtime::StatusOr;
using llvm::StringRef;

namespace graphc {

namespace {

/// tfir's name of an element type; what has none stays as it is.
StringRef canonicalDType(StringRef name) {
  return llvm::StringSwitch<StringRef>(name)
      .Case("bool", "i1")
      .Case("uint8", "ui8")
      .Case("int8", "i8")
      .Case("int16", "i16")
      .Case("uint16", "ui16")
      .Case("uint32", "ui32")
      .Case("uint64", "ui64")
      .Case("int32", "i32")
      .Case("int64", "i64")
      .Case("float32", "f32")
      .Case("float64", "f64")
      .Case("float16", "f16")
      .Case("bfloat16", "bf16")
      .Case("!tfir.string", "string")
      .Default(name);
}

const std::vector<std::string> kDTypes = {
    "f32", "f64", "f16", "bf16", "i1",   "i8",   "i16",
    "i32", "i64", "ui8", "ui16", "ui32", "ui64", "string"};

} // namespace

/// Takes the file apart; entries are checked against those before them.
class KernelTableReader {
public:
  explicit KernelTableReader(const runtime::JsonFile &json) : json(json) {}

  Status read();

  KernelTable table;

private:
  using Entry = KernelTable::Entry;

  Status readEntry(const runtime::JsonValue &value);
  Status readDTypes(const runtime::JsonValue &value, Entry &entry);
  Status readKinds(const runtime::JsonValue &value, Entry &entry);
  Status readKind(int line, const std::string &name,
                  std::optional<int> priority, Entry &entry);
  Status readNumbers(const runtime::JsonValue &entry, const std::string &key,
                     llvm::SmallVector<unsigned> &numbers);
  Status checkAgainst(const Entry &known, const Entry &entry,
                      const std::string &op) const;

  const runtime::JsonFile &json;
};

Status KernelTableReader::readDTypes(const runtime::JsonValue &value,
                                     Entry &entry) {
  GRAPHC_TRY(json.expectArray(value, "'dtypes'"));
  if (value.elements.empty())
    return json.error(value.line, "'dtypes' is empty; leave it out if the "
                                  "kernels take every type");
  for (const runtime::JsonValue &element : value.elements) {
    GRAPHC_ASSIGN_OR_RETURN(std::string text,
                            json.string(element, "an element type"));
    std::string dtype = canonicalDType(text).str();
    if (!llvm::is_contained(kDTypes, dtype))
      return json.error(
          element.line,
          runtime::unknownName("the language", "element type", text, kDTypes));
    if (llvm::is_contained(entry.dtypes, dtype))
      return json.error(element.line,
                        quote(text) + " is there twice; keep one of them");
    entry.dtypes.push_back(dtype);
  }
  return Status::ok();
}

Status KernelTableReader::readKind(int line, const std::string &name,
                                   std::optional<int> priority, Entry &entry) {
  StatusOr<DeviceName> device = DeviceName::parse("/device:" + name);
  if (!device.isOk() || !device->type || device->id || device->job ||
      device->replica || device->task)
    return json.error(line, quote(name) + " is no kind of device; write one "
                                          "such as \"GPU\"");
  for (const KernelKind &kind : entry.kinds)
    if (kind.type == *device->type)
      return json.error(line,
                        quote(name) + " is there twice; keep one of them");
  entry.kinds.push_back({*device->type, priority});
  return Status::ok();
}

Status KernelTableReader::readKinds(const runtime::JsonValue &value,
                                    Entry &entry) {
  constexpr int64_t kMax = std::numeric_limits<int32_t>::max();
  if (value.kind == runtime::JsonValue::Kind::Object) {
    for (const runtime::JsonValue::Member &kind : value.members) {
      GRAPHC_ASSIGN_OR_RETURN(int64_t priority,
                              json.integer(kind.value,
                                           "the priority of " + quote(kind.key),
                                           0, kMax));
      GRAPHC_TRY(readKind(kind.line, kind.key, int(priority), entry));
    }
  } else {
    GRAPHC_TRY(json.expectArray(value, "'devices'"));
    for (const runtime::JsonValue &kind : value.elements) {
      GRAPHC_ASSIGN_OR_RETURN(std::string name,
                              json.string(kind, "a kind of device"));
      GRAPHC_TRY(readKind(kind.line, name, std::nullopt, entry));
    }
  }
  if (entry.kinds.empty())
    return json.error(value.line,
                      "'devices' is empty; name a kind that has the kernel, "
                      "such as [\"CPU\"]");
  llvm::sort(entry.kinds, [](const KernelKind &a, const KernelKind &b) {
    return a.type < b.type;
  });
  return Status::ok();
}

/// Adds the numbers of operands or results in `entry`, if it has any.
Status KernelTableReader::readNumbers(const runtime::JsonValue &entry,
                                      const std::string &key,
                                      llvm::SmallVector<unsigned> &numbers) {
  const runtime::JsonValue *value = entry.find(key);
  if (!value)
    return Status::ok();
  GRAPHC_TRY(json.expectArray(*value, quote(key)));
  for (const runtime::JsonValue &element : value->elements) {
    GRAPHC_ASSIGN_OR_RETURN(
        int64_t number,
        json.integer(element, "an element of " + quote(key), 0, 65535));
    if (!llvm::is_contained(numbers, unsigned(number)))
      numbers.push_back(unsigned(number));
  }
  llvm::sort(numbers);
  return Status::ok();
}

/// No kind may have two kernels for one type.
Status KernelTableReader::checkAgainst(const Entry &known, const Entry &entry,
                                       const std::string &op) const {
  auto isKnown = [&](const std::string &dtype) {
    return known.dtypes.empty() || llvm::is_contained(known.dtypes, dtype);
  };
  bool sameTypes = entry.dtypes.empty() || llvm::any_of(entry.dtypes, isKnown);
  for (const KernelKind &kind : entry.kinds)
    for (const KernelKind &other : known.kinds)
      if (sameTypes && kind.type == other.type)
        return json.error(entry.line, quote(op) + " has a kernel for " +
                                          kind.type +
                                          " and the same types in line " +
                                          std::to_string(known.line) +
                                          "; keep one of the two");
  return Status::ok();
}

Status KernelTableReader::readEntry(const runtime::JsonValue &value) {
  GRAPHC_TRY(json.expectObject(value, "a kernel"));
  GRAPHC_TRY(json.onlyKeys(value, "a kernel",
                           {"op", "dtypes", "devices", "refs", "resources",
                            "resource_results", "metadata"}));
  GRAPHC_ASSIGN_OR_RETURN(const runtime::JsonValue *name,
                          json.member(value, "a kernel", "op"));
  GRAPHC_ASSIGN_OR_RETURN(std::string op, json.string(*name, "'op'"));
  if (op.empty())
    return json.error(name->line, "'op' is empty; write the op's name");
  Entry entry;
  entry.line = value.line;
  if (const runtime::JsonValue *dtypes = value.find("dtypes"))
    GRAPHC_TRY(readDTypes(*dtypes, entry));
  GRAPHC_ASSIGN_OR_RETURN(const runtime::JsonValue *devices,
                          json.member(value, "a kernel", "devices"));
  GRAPHC_TRY(readKinds(*devices, entry));
  KernelTable::Op &known = table.ops[op];
  for (const Entry &other : known.entries)
    GRAPHC_TRY(checkAgainst(other, entry, op));
  GRAPHC_TRY(readNumbers(value, "refs", known.info.refs));
  GRAPHC_TRY(readNumbers(value, "resources", known.info.resources));
  GRAPHC_TRY(
      readNumbers(value, "resource_results", known.info.resourceResults));
  for (unsigned ref : known.info.refs)
    if (llvm::is_contained(known.info.resources, ref))
      return json.error(value.line, "operand " + std::to_string(ref) + " of " +
                                        quote(op) +
                                        " is in 'refs' and in 'resources'; "
                                        "keep one of the two");
  if (const runtime::JsonValue *metadata = value.find("metadata")) {
    GRAPHC_ASSIGN_OR_RETURN(bool isSet, json.boolean(*metadata, "'metadata'"));
    known.info.metadata |= isSet;
  }
  known.entries.push_back(std::move(entry));
  return Status::ok();
}

Status KernelTableReader::read() {
  GRAPHC_TRY(json.expectArray(json.root(), "a kernel table"));
  for (const runtime::JsonValue &value : json.root().elements)
    GRAPHC_TRY(readEntry(value));
  return Status::ok();
}

StatusOr<KernelTable> KernelTable::parse(const runtime::TextFile &file) {
  GRAPHC_ASSIGN_OR_RETURN(runtime::JsonFile json,
                          runtime::JsonFile::parse(file));
  KernelTableReader reader(json);
  GRAPHC_TRY(reader.read());
  reader.table.path = file.path;
  return std::move(reader.table);
}

const KernelOp *KernelTable::info(StringRef op) const {
  auto known = ops.find(op);
  return known == ops.end() ? nullptr : &known->second.info;
}

std::vector<KernelKind>
KernelTable::find(StringRef op, llvm::ArrayRef<StringRef> dtypes) const {
  auto known = ops.find(op);
  if (known == ops.end())
    return {};
  std::map<std::string, KernelKind> kinds;
  for (const Entry &entry : known->second.entries) {
    bool fits = llvm::all_of(dtypes, [&](StringRef dtype) {
      return entry.dtypes.empty() ||
             llvm::is_contained(entry.dtypes, canonicalDType(dtype));
    });
    // Without operands and results, entries for different types all fit.
    if (fits)
      for (const KernelKind &kind : entry.kinds)
        kinds.try_emplace(kind.type, kind);
  }
  std::vector<KernelKind> found;
  for (auto &[type, kind] : kinds)
    found.push_back(kind);
  return found;
}

std::string KernelTable::describe(StringRef op) const {
  auto known = ops.find(op);
  if (known == ops.end())
    return "";
  std::vector<std::string> texts;
  for (const Entry &entry : known->second.entries) {
    auto types = llvm::map_range(
        entry.kinds, [](const KernelKind &kind) { return kind.type; });
    std::string text = llvm::join(types, ", ");
    if (!entry.dtypes.empty())
      text += " for " + llvm::join(entry.dtypes, ", ");
    texts.push_back(text);
  }
  return llvm::join(texts, "; ");
}

std::string KernelTable::place(StringRef op) const {
  return path + ":" + std::to_string(ops.find(op)->second.entries.front().line);
}

} // namespace graphc
