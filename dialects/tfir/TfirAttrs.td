// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Devices, summaries and initial values.
#ifndef GRAPHC_DIALECTS_TFIR_TFIRATTRS
#define GRAPHC_DIALECTS_TFIR_TFIRATTRS

include "dialects/tfir/TfirAttrBase.td"

//===-- Devices -----------------------------------------------------------===//

def Tfir_DeviceAttr : Tfir_Attr<"Device", "device"> {
  let summary = "the name of a device, full or partial";
  let description = [{
    Holds the name parsed; two spellings of one name are one attribute. It is
    printed in the canonical form. In a request (`device`) parts may be open, in
    a place (`assigned_device`) all are set.

    Example: `#tfir.device<"/job:worker/replica:0/task:1/device:GPU:0">`
  }];
  let parameters = (ins AttrParameter<"::graphc::runtime::DeviceName", "its fields",
      "const ::graphc::runtime::DeviceName &">:$deviceName);
  let hasCustomAssemblyFormat = 1;
  let genStorageClass = 0;
  let storageClass = "DeviceAttrStorage";
  let extraClassDeclaration = [{
    /// The canonical form, which lives as long as the context.
    ::llvm::StringRef getText() const;
    /// True when all five fields are set.
    bool isFull() const { return getDeviceName().isFull(); }
  }];
}

def Tfir_DeviceEntryAttr : Tfir_Attr<"DeviceEntry", "device_entry"> {
  let summary = "a device of the table of devices";
  let description = [{
    `priority` orders kinds of devices, higher ones first; `memory` is the limit in
    bytes, 0 for none; `implied` marks the CPU:0 of a task that nobody has named.

    Example: `#tfir.device_entry<device = <"/job:a/replica:0/task:0/device:CPU:0">,
    priority = 70>`
  }];
  let parameters = (ins "::graphc::tfir::DeviceAttr":$device, "int64_t":$priority,
                        DefaultValuedParameter<"int64_t", "0">:$memory,
                        DefaultValuedParameter<"bool", "false">:$implied);
  let assemblyFormat = "`<` struct(params) `>`";
}

//===-- Graphs of workers -------------------------------------------------===//

def Tfir_UpdateCoordination : I32EnumAttr<"UpdateCoordination",
    "how the updates of several workers become one sequence", [
    I32EnumAttrCase<"None", 0, "none">,
    I32EnumAttrCase<"Async", 1, "async">,
    I32EnumAttrCase<"Quorum", 2, "quorum">]> {
  let cppNamespace = "::graphc::tfir";
  let genSpecializedAttr = 0;
}

def Tfir_InstanceAttr : Tfir_Attr<"Instance", "instance"> {
  let summary = "what makes a graph a worker's own replica of another one";
  let description = [{
    The replica of the graph `of` for `worker`, of so many `workers`. `staleness`
    bounds the steps that an asynchronous worker may be ahead of the slowest; -1:
    nothing does. With a quorum, the graph `apply` updates the variables when so
    many gradients have come.

    - (C1) workers count from 0
    - (C2) only `async` has a staleness, from -1
    - (C3) `quorum` has a number of workers and a graph `apply`, others have none

    Example: `#tfir.instance<of = "train", worker = 1, workers = 2,
    coordination = async, staleness = 4>`
  }];
  let parameters = (ins "::mlir::StringAttr":$of, "int64_t":$worker,
                        "int64_t":$workers,
                        EnumParameter<Tfir_UpdateCoordination>:$coordination,
                        DefaultValuedParameter<"int64_t", "-1">:$staleness,
                        DefaultValuedParameter<"int64_t", "0">:$quorum,
                        OptionalParameter<"::mlir::StringAttr">:$apply);
  let assemblyFormat = "`<` struct(params) `>`";
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    /// True when the steps of the graph interleave with those of other workers:
    /// then its programs end in an update part.
    bool isCoordinated() const {
      return getCoordination() != UpdateCoordination::None;
    }
    /// The same, with another graph that applies.
    InstanceAttr withApply(::mlir::StringAttr apply) const;
  }];
}

//===-- Summaries ---------------------------------------------------------===//

def Tfir_SummaryKind : I32EnumAttr<"SummaryKind", "how values are shown", [
    I32EnumAttrCase<"Scalar", 0, "scalar">,
    I32EnumAttrCase<"Histogram", 1, "histogram">,
    I32EnumAttrCase<"Image", 2, "image">,
    I32EnumAttrCase<"Text", 3, "text">,
    I32EnumAttrCase<"Audio", 4, "audio">,
    I32EnumAttrCase<"PrCurve", 5, "pr_curve">]> {
  let cppNamespace = "::graphc::tfir";
  let genSpecializedAttr = 0;
}

def Tfir_SummaryAttr : Tfir_Attr<"Summary", "summary"> {
  let summary = "how fetches of a graph are shown";
  let description = [{
    The fetch number `fetch`, and for `pr_curve` the next one, are the operands of a
    summary op with these parameters.

    - (C1) the tag is not empty, and no number is negative

    Example: `#tfir.summary<kind = image, tag = "input", fetch = 1, max_outputs = 3>`
  }];
  let parameters = (ins EnumParameter<Tfir_SummaryKind>:$kind,
                        "::mlir::StringAttr":$tag, "int64_t":$fetch,
                        DefaultValuedParameter<"int64_t", "0">:$max_outputs,
                        DefaultValuedParameter<"int64_t", "0">:$thresholds,
                        OptionalParameter<"::mlir::FloatAttr">:$sample_rate);
  let assemblyFormat = "`<` struct(params) `>`";
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    /// Fetches that it shows.
    int64_t getNumFetches() const {
      return getKind() == SummaryKind::PrCurve ? 2 : 1;
    }
  }];
}

//===-- Initial values ----------------------------------------------------===//

def Tfir_FillAttr : Tfir_Attr<"Fill", "fill",
    [DeclareAttrInterfaceMethods<Tfir_InitialValue, ["isRandom"]>]> {
  let summary = "every element has the same value";
  let description = "Example: `#tfir.fill<0.1>`";
  let parameters = (ins Tfir_Number_<"the value">:$value);
  let assemblyFormat = "`<` $value `>`";
}

def Tfir_RandomNormalInitAttr : Tfir_Attr<"RandomNormalInit", "random_normal",
    [DeclareAttrInterfaceMethods<Tfir_InitialValue>]> {
  let summary = "normal distribution";
  let description = "Example: `#tfir.random_normal<stddev = 0.1, seed = 7>`";
  let parameters = (ins Tfir_DefaultNumber<"mean", "0.0">:$mean,
                        Tfir_DefaultNumber<"standard deviation", "1.0">:$stddev,
                        DefaultValuedParameter<"int64_t", "0">:$seed);
  let assemblyFormat = "(`<` struct(params)^ `>`)?";
}

def Tfir_TruncatedNormalInitAttr : Tfir_Attr<"TruncatedNormalInit", "truncated_normal",
    [DeclareAttrInterfaceMethods<Tfir_InitialValue>]> {
  let summary = "normal distribution, drawn again beyond two deviations";
  let description = "Example: `#tfir.truncated_normal<stddev = 0.1>`";
  let parameters = (ins Tfir_DefaultNumber<"mean", "0.0">:$mean,
                        Tfir_DefaultNumber<"standard deviation", "1.0">:$stddev,
                        DefaultValuedParameter<"int64_t", "0">:$seed);
  let assemblyFormat = "(`<` struct(params)^ `>`)?";
}

def Tfir_RandomUniformInitAttr : Tfir_Attr<"RandomUniformInit", "random_uniform",
    [DeclareAttrInterfaceMethods<Tfir_InitialValue>]> {
  let summary = "uniform distribution over [minval, maxval)";
  let description = "Example: `#tfir.random_uniform<minval = -1.0>`";
  let parameters = (ins Tfir_DefaultNumber<"lower end", "0.0">:$minval,
                        Tfir_DefaultNumber<"upper end", "1.0">:$maxval,
                        DefaultValuedParameter<"int64_t", "0">:$seed);
  let assemblyFormat = "(`<` struct(params)^ `>`)?";
}

#endif
