// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Learning rates and optimizers.
#ifndef GRAPHC_DIALECTS_TFIR_TRAINING_TFIROPTIMIZERS
#define GRAPHC_DIALECTS_TFIR_TRAINING_TFIROPTIMIZERS

include "dialects/tfir/TfirAttrs.td"

//===-- Learning rates ----------------------------------------------------===//

def Tfir_ExponentialDecayAttr :
    Tfir_Attr<"ExponentialDecay", "exponential_decay",
              [DeclareAttrInterfaceMethods<Tfir_Schedule>]> {
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

class Tfir_OptimizerAttr<string name, string attrMnemonic,
                         list<string> methods = []> :
    Tfir_Attr<name, attrMnemonic,
              [DeclareAttrInterfaceMethods<Tfir_Optimizer, methods>]>;

def Tfir_SgdAttr : Tfir_OptimizerAttr<"Sgd", "sgd"> {
  let summary = "w -= rate * g";
  let description = "Example: `#tfir.sgd<learning_rate = 0.01>`";
  let parameters = (ins Tfir_Rate:$learning_rate);
  let assemblyFormat = "`<` struct(params) `>`";
}

def Tfir_MomentumAttr : Tfir_OptimizerAttr<"Momentum", "momentum",
    ["getSlotValues"]> {
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

def Tfir_AdagradAttr : Tfir_OptimizerAttr<"Adagrad", "adagrad",
    ["getSlotValues"]> {
  let summary = "a += g * g; w -= rate * g / sqrt(a)";
  let description = "Example: `#tfir.adagrad<learning_rate = 0.8>`";
  let parameters = (ins Tfir_Rate:$learning_rate,
      Tfir_DefaultNumber<"first value of a", "0.1">:$initial_accumulator);
  let assemblyFormat = "`<` struct(params) `>`";
}

def Tfir_RmspropAttr : Tfir_OptimizerAttr<"Rmsprop", "rmsprop",
    ["getSlotValues"]> {
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

def Tfir_AdamAttr : Tfir_OptimizerAttr<"Adam", "adam",
    ["getSlotValues", "getSharedPowers", "buildEffectiveRate"]> {
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
