// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Devices, initial values, optimizers and learning rates.
#ifndef GRAPHC_DIALECTS_TFIR_TFIRATTRS
#define GRAPHC_DIALECTS_TFIR_TFIRATTRS

include "dialects/tfir/TfirBase.td"

class Tfir_Attr<string name, string attrMnemonic> :
    AttrDef<Tfir_Dialect, name> {
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

// A number or a schedule attribute.
def Tfir_Rate : AttrParameter<"::mlir::Attribute", "learning rate"> {
  let parser = "::graphc::tfir::parseRate($_parser)";
  let printer = "::graphc::tfir::printRate($_printer, $_self)";
}

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

//===-- Initial values ----------------------------------------------------===//

def Tfir_FillAttr : Tfir_Attr<"Fill", "fill"> {
  let summary = "every element has the same value";
  let description = "Example: `#tfir.fill<0.1>`";
  let parameters = (ins Tfir_Number_<"the value">:$value);
  let assemblyFormat = "`<` $value `>`";
}

def Tfir_RandomNormalInitAttr : Tfir_Attr<"RandomNormalInit", "random_normal"> {
  let summary = "normal distribution";
  let description = "Example: `#tfir.random_normal<stddev = 0.1, seed = 7>`";
  let parameters = (ins Tfir_DefaultNumber<"mean", "0.0">:$mean,
                        Tfir_DefaultNumber<"standard deviation", "1.0">:$stddev,
                        DefaultValuedParameter<"int64_t", "0">:$seed);
  let assemblyFormat = "(`<` struct(params)^ `>`)?";
}

def Tfir_TruncatedNormalInitAttr :
    Tfir_Attr<"TruncatedNormalInit", "truncated_normal"> {
  let summary = "normal distribution, drawn again beyond two deviations";
  let description = "Example: `#tfir.truncated_normal<stddev = 0.1>`";
  let parameters = (ins Tfir_DefaultNumber<"mean", "0.0">:$mean,
                        Tfir_DefaultNumber<"standard deviation", "1.0">:$stddev,
                        DefaultValuedParameter<"int64_t", "0">:$seed);
  let assemblyFormat = "(`<` struct(params)^ `>`)?";
}

def Tfir_RandomUniformInitAttr :
    Tfir_Attr<"RandomUniformInit", "random_uniform"> {
  let summary = "uniform distribution over [minval, maxval)";
  let description = "Example: `#tfir.random_uniform<minval = -1.0>`";
  let parameters = (ins Tfir_DefaultNumber<"lower end", "0.0">:$minval,
                        Tfir_DefaultNumber<"upper end", "1.0">:$maxval,
                        DefaultValuedParameter<"int64_t", "0">:$seed);
  let assemblyFormat = "(`<` struct(params)^ `>`)?";
}

//===-- Learning rates ----------------------------------------------------===//

def Tfir_ExponentialDecayAttr :
    Tfir_Attr<"ExponentialDecay", "exponential_decay"> {
  let summary = "a rate that decays with the global step";
  let description = [{
    `initial * decay_rate ^ (global_step / decay_steps)`; with `staircase` the
    exponent is rounded down.

    Example: `#tfir.exponential_decay<initial = 0.1, decay_steps = 100,
    decay_rate = 0.96, staircase = true>`
  }];
  let parameters = (ins Tfir_Number_<"rate at step 0">:$initial,
                        "int64_t":$decay_steps,
                        Tfir_Number_<"factor per decay_steps">:$decay_rate,
                        DefaultValuedParameter<"bool", "false">:$staircase);
  let assemblyFormat = "`<` struct(params) `>`";
  let genVerifyDecl = 1;
}

//===-- Optimizers --------------------------------------------------------===//

def Tfir_SgdAttr : Tfir_Attr<"Sgd", "sgd"> {
  let summary = "w -= rate * g";
  let description = "Example: `#tfir.sgd<learning_rate = 0.01>`";
  let parameters = (ins Tfir_Rate:$learning_rate);
  let assemblyFormat = "`<` struct(params) `>`";
}

def Tfir_MomentumAttr : Tfir_Attr<"Momentum", "momentum"> {
  let summary = "a = momentum * a + g; w -= rate * a";
  let description = [{
    With `nesterov`: `w -= rate * g + rate * momentum * a` with the new `a`.

    Example: `#tfir.momentum<learning_rate = 0.01, momentum = 0.9>`
  }];
  let parameters = (ins Tfir_Rate:$learning_rate,
                        Tfir_DefaultNumber<"momentum", "0.9">:$momentum,
                        DefaultValuedParameter<"bool", "false">:$nesterov);
  let assemblyFormat = "`<` struct(params) `>`";
}

def Tfir_AdagradAttr : Tfir_Attr<"Adagrad", "adagrad"> {
  let summary = "a += g * g; w -= rate * g / sqrt(a)";
  let description = "Example: `#tfir.adagrad<learning_rate = 0.8>`";
  let parameters = (ins Tfir_Rate:$learning_rate,
      Tfir_DefaultNumber<"first value of a", "0.1">:$initial_accumulator);
  let assemblyFormat = "`<` struct(params) `>`";
}

def Tfir_RmspropAttr : Tfir_Attr<"Rmsprop", "rmsprop"> {
  let summary = "s += (1 - decay) * (g * g - s); "
                "m = momentum * m + rate * g / sqrt(s + epsilon); w -= m";
  let description = [{
    `s` starts at 1. Example: `#tfir.rmsprop<learning_rate = 0.01>`
  }];
  let parameters = (ins Tfir_Rate:$learning_rate,
                        Tfir_DefaultNumber<"decay", "0.9">:$decay,
                        Tfir_DefaultNumber<"momentum", "0.0">:$momentum,
                        Tfir_DefaultNumber<"epsilon", "1e-10">:$epsilon);
  let assemblyFormat = "`<` struct(params) `>`";
}

def Tfir_AdamAttr : Tfir_Attr<"Adam", "adam"> {
  let summary = "moments of first and second order, corrected for their start";
  let description = [{
    With t counting applications from 1:
    `alpha = rate * sqrt(1 - beta2^t) / (1 - beta1^t)`;
    `m += (1 - beta1) * (g - m)`; `v += (1 - beta2) * (g * g - v)`;
    `w -= alpha * m / (sqrt(v) + epsilon)`.

    Example: `#tfir.adam<learning_rate = 0.001>`
  }];
  let parameters = (ins Tfir_Rate:$learning_rate,
                        Tfir_DefaultNumber<"beta1", "0.9">:$beta1,
                        Tfir_DefaultNumber<"beta2", "0.999">:$beta2,
                        Tfir_DefaultNumber<"epsilon", "1e-8">:$epsilon);
  let assemblyFormat = "`<` struct(params) `>`";
}

#endif
