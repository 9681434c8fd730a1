// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Optimizers.
#ifndef GRAPHC_DIALECTS_TFIR_TRAINING_TFIROPTIMIZERS
#define GRAPHC_DIALECTS_TFIR_TRAINING_TFIROPTIMIZERS

include "dialects/tfir/training/TfirSchedules.td"

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
    `s` starts at 1. With `centered` the root is that of `s - c * c + epsilon`, where
    `c += (1 - decay) * (g - c)`; the slots are then s, c and m.

    Example: `#tfir.rmsprop<learning_rate = 0.01>`
  }];
  let parameters = (ins Tfir_Rate:$learning_rate,
                        Tfir_DefaultNumber<"decay", "0.9">:$decay,
                        Tfir_DefaultNumber<"momentum", "0.0">:$momentum,
                        Tfir_DefaultNumber<"epsilon", "1e-10">:$epsilon,
                        DefaultValuedParameter<"bool", "false">:$centered);
  let assemblyFormat = "`<` struct(params) `>`";
}

def Tfir_AdamAttr : Tfir_OptimizerAttr<"Adam", "adam",
    ["getSlotValues", "getSharedPowers", "buildShared"]> {
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

def Tfir_NadamAttr : Tfir_OptimizerAttr<"Nadam", "nadam",
    ["getSlotValues", "getSharedPowers", "buildShared"]> {
  let summary = "Adam with Nesterov's momentum";
  let description = [{
    alpha, m and v as for `adam`;
    `w -= alpha * (beta1 * m + (1 - beta1) * g) / (sqrt(v) + epsilon)` with the new m.

    Example: `#tfir.nadam<learning_rate = 0.001>`
  }];
  let parameters = (ins Tfir_Rate:$learning_rate,
                        Tfir_DefaultNumber<"beta1", "0.9">:$beta1,
                        Tfir_DefaultNumber<"beta2", "0.999">:$beta2,
                        Tfir_DefaultNumber<"epsilon", "1e-8">:$epsilon);
  let assemblyFormat = "`<` struct(params) `>`";
}

def Tfir_AmsgradAttr : Tfir_OptimizerAttr<"Amsgrad", "amsgrad",
    ["getSlotValues", "getSharedPowers", "buildShared"]> {
  let summary = "Adam whose second moment never falls";
  let description = [{
    alpha, m and v as for `adam`; `h = max(h, v)`; `w -= alpha * m / (sqrt(h) + epsilon)`
    (Reddi et al. 2018). The slots are m, v and h.

    Example: `#tfir.amsgrad<learning_rate = 0.001>`
  }];
  let parameters = (ins Tfir_Rate:$learning_rate,
                        Tfir_DefaultNumber<"beta1", "0.9">:$beta1,
                        Tfir_DefaultNumber<"beta2", "0.999">:$beta2,
                        Tfir_DefaultNumber<"epsilon", "1e-8">:$epsilon);
  let assemblyFormat = "`<` struct(params) `>`";
}

def Tfir_AdamwAttr : Tfir_OptimizerAttr<"Adamw", "adamw",
    ["getSlotValues", "getSharedPowers", "buildShared", "withoutDecay"]> {
  let summary = "Adam with weights that decay by themselves";
  let description = [{
    As `adam`, and `w -= rate * weight_decay * w` with the old w, apart from the gradient
    (Loshchilov and Hutter 2019). `rate` is the learning rate itself, not alpha.

    Example: `#tfir.adamw<learning_rate = 0.001, weight_decay = 0.01>`
  }];
  let parameters = (ins Tfir_Rate:$learning_rate,
                        Tfir_DefaultNumber<"beta1", "0.9">:$beta1,
                        Tfir_DefaultNumber<"beta2", "0.999">:$beta2,
                        Tfir_DefaultNumber<"epsilon", "1e-8">:$epsilon,
                        Tfir_DefaultNumber<"weight_decay", "0.01">:$weight_decay);
  let assemblyFormat = "`<` struct(params) `>`";
}

def Tfir_AdamaxAttr : Tfir_OptimizerAttr<"Adamax", "adamax",
    ["getSlotValues", "getSharedPowers", "buildShared"]> {
  let summary = "Adam with the largest gradient in place of the second moment";
  let description = [{
    `m += (1 - beta1) * (g - m)`; `v = max(beta2 * v, |g|)`;
    `w -= rate / (1 - beta1^t) * m / (v + epsilon)`, t counting from 1.

    Example: `#tfir.adamax<learning_rate = 0.001>`
  }];
  let parameters = (ins Tfir_Rate:$learning_rate,
                        Tfir_DefaultNumber<"beta1", "0.9">:$beta1,
                        Tfir_DefaultNumber<"beta2", "0.999">:$beta2,
                        Tfir_DefaultNumber<"epsilon", "1e-8">:$epsilon);
  let assemblyFormat = "`<` struct(params) `>`";
}

def Tfir_LambAttr : Tfir_OptimizerAttr<"Lamb", "lamb",
    ["getSlotValues", "getSharedPowers", "buildShared", "withoutDecay"]> {
  let summary = "Adam with a rate for each variable that follows from norms";
  let description = [{
    m and v as for `adam`;
    `u = m / (1 - beta1^t) / (sqrt(v / (1 - beta2^t)) + epsilon) + weight_decay * w`;
    `w -= rate * |w| / |u| * u` with the norms of the whole variable; 1 in place of
    `|w| / |u|` where one of them is 0 (You et al. 2020).

    Example: `#tfir.lamb<learning_rate = 0.001, weight_decay = 0.01>`
  }];
  let parameters = (ins Tfir_Rate:$learning_rate,
                        Tfir_DefaultNumber<"beta1", "0.9">:$beta1,
                        Tfir_DefaultNumber<"beta2", "0.999">:$beta2,
                        Tfir_DefaultNumber<"epsilon", "1e-6">:$epsilon,
                        Tfir_DefaultNumber<"weight_decay", "0.0">:$weight_decay);
  let assemblyFormat = "`<` struct(params) `>`";
}

def Tfir_LarsAttr : Tfir_OptimizerAttr<"Lars", "lars",
    ["getSlotValues", "withoutDecay"]> {
  let summary = "momentum with a rate for each variable that follows from norms";
  let description = [{
    `r = rate * eeta * |w| / (|g| + weight_decay * |w| + epsilon)` with the norms of the
    whole variable; `rate` where one of them is 0. `d = g + weight_decay * w`;
    `a = momentum * a + d`; `w -= r * a`, with `nesterov` `w -= r * (d + momentum * a)`
    (You et al. 2017).

    Example: `#tfir.lars<learning_rate = 1.0>`
  }];
  let parameters = (ins Tfir_Rate:$learning_rate,
                        Tfir_DefaultNumber<"momentum", "0.9">:$momentum,
                        Tfir_DefaultNumber<"weight_decay", "0.0001">:$weight_decay,
                        Tfir_DefaultNumber<"share of the norm in a step", "0.001">:$eeta,
                        Tfir_DefaultNumber<"epsilon", "0.0">:$epsilon,
                        DefaultValuedParameter<"bool", "false">:$nesterov);
  let assemblyFormat = "`<` struct(params) `>`";
}

def Tfir_LionAttr : Tfir_OptimizerAttr<"Lion", "lion",
    ["getSlotValues", "withoutDecay"]> {
  let summary = "the sign of a momentum";
  let description = [{
    `w -= rate * (sign(beta1 * m + (1 - beta1) * g) + weight_decay * w)`, then
    `m += (1 - beta2) * (g - m)` (Chen et al. 2023).

    Example: `#tfir.lion<learning_rate = 0.0001, weight_decay = 0.1>`
  }];
  let parameters = (ins Tfir_Rate:$learning_rate,
                        Tfir_DefaultNumber<"beta1", "0.9">:$beta1,
                        Tfir_DefaultNumber<"beta2", "0.99">:$beta2,
                        Tfir_DefaultNumber<"weight_decay", "0.0">:$weight_decay);
  let assemblyFormat = "`<` struct(params) `>`";
}

def Tfir_AdadeltaAttr : Tfir_OptimizerAttr<"Adadelta", "adadelta",
    ["getSlotValues"]> {
  let summary = "steps as large as the last ones were";
  let description = [{
    `s += (1 - rho) * (g * g - s)`; `u = sqrt(d + epsilon) / sqrt(s + epsilon) * g`;
    `d += (1 - rho) * (u * u - d)`; `w -= rate * u`.

    Example: `#tfir.adadelta<learning_rate = 1.0>`
  }];
  let parameters = (ins Tfir_Rate:$learning_rate,
                        Tfir_DefaultNumber<"rho", "0.95">:$rho,
                        Tfir_DefaultNumber<"epsilon", "1e-8">:$epsilon);
  let assemblyFormat = "`<` struct(params) `>`";
}

def Tfir_FtrlAttr : Tfir_OptimizerAttr<"Ftrl", "ftrl", ["getSlotValues"]> {
  let summary = "follows the regularized leader: weights that do not matter are 0";
  let description = [{
    With `p = -learning_rate_power`: `b = a + g * g`;
    `z += g - (b^p - a^p) / rate * w`; `a = b`; w is
    `(l1 * sign(z) - z) / (a^p / rate + 2 * l2)` where `|z| > l1`, else 0. The slots are
    a and z.

    - (C1) learning_rate_power <= 0
    - (C2) initial_accumulator, l1 and l2 are not negative

    Example: `#tfir.ftrl<learning_rate = 0.1, l1 = 0.01>`
  }];
  let parameters = (ins Tfir_Rate:$learning_rate,
      Tfir_DefaultNumber<"learning_rate_power", "-0.5">:$learning_rate_power,
      Tfir_DefaultNumber<"first value of a", "0.1">:$initial_accumulator,
      Tfir_DefaultNumber<"l1", "0.0">:$l1, Tfir_DefaultNumber<"l2", "0.0">:$l2);
  let assemblyFormat = "`<` struct(params) `>`";
  let genVerifyDecl = 1;
}

def Tfir_ProximalSgdAttr : Tfir_OptimizerAttr<"ProximalSgd",
    "proximal_gradient_descent"> {
  let summary = "gradient descent with l1 and l2 that are solved for";
  let description = [{
    `p = w - rate * g`; `w = sign(p) * max(|p| - rate * l1, 0) / (1 + rate * l2)`.

    - (C1) l1 and l2 are not negative

    Example: `#tfir.proximal_gradient_descent<learning_rate = 0.1, l1 = 0.01>`
  }];
  let parameters = (ins Tfir_Rate:$learning_rate,
                        Tfir_DefaultNumber<"l1", "0.0">:$l1,
                        Tfir_DefaultNumber<"l2", "0.0">:$l2);
  let assemblyFormat = "`<` struct(params) `>`";
  let genVerifyDecl = 1;
}

def Tfir_ProximalAdagradAttr : Tfir_OptimizerAttr<"ProximalAdagrad",
    "proximal_adagrad", ["getSlotValues"]> {
  let summary = "Adagrad with l1 and l2 that are solved for";
  let description = [{
    `a += g * g`; then as `proximal_gradient_descent` with `rate / sqrt(a)` as rate.

    - (C1) l1 and l2 are not negative

    Example: `#tfir.proximal_adagrad<learning_rate = 0.1, l1 = 0.01>`
  }];
  let parameters = (ins Tfir_Rate:$learning_rate,
      Tfir_DefaultNumber<"first value of a", "0.1">:$initial_accumulator,
      Tfir_DefaultNumber<"l1", "0.0">:$l1, Tfir_DefaultNumber<"l2", "0.0">:$l2);
  let assemblyFormat = "`<` struct(params) `>`";
  let genVerifyDecl = 1;
}

#endif
