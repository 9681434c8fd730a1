// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Learning rates that follow from the global step.
#ifndef GRAPHC_DIALECTS_TFIR_TRAINING_TFIRSCHEDULES
#define GRAPHC_DIALECTS_TFIR_TRAINING_TFIRSCHEDULES

include "dialects/tfir/TfirAttrBase.td"

class Tfir_ScheduleAttr<string name, string attrMnemonic> :
    Tfir_Attr<name, attrMnemonic, [DeclareAttrInterfaceMethods<Tfir_Schedule>]> {
  let assemblyFormat = "`<` struct(params) `>`";
  let genVerifyDecl = 1;
}

def Tfir_ExponentialDecayAttr :
    Tfir_ScheduleAttr<"ExponentialDecay", "exponential_decay"> {
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
}

def Tfir_NaturalExpDecayAttr :
    Tfir_ScheduleAttr<"NaturalExpDecay", "natural_exp_decay"> {
  let summary = "a rate that decays with e to the global step";
  let description = [{
    `initial * exp(-decay_rate * global_step / decay_steps)`; with `staircase`
    `global_step / decay_steps` is rounded down.

    - (C1) decay_steps >= 1

    Example: `#tfir.natural_exp_decay<initial = 0.1, decay_steps = 100,
    decay_rate = 0.5>`
  }];
  let parameters = (ins Tfir_Number_<"rate at step 0">:$initial,
                        "int64_t":$decay_steps,
                        Tfir_Number_<"decay in decay_steps">:$decay_rate,
                        DefaultValuedParameter<"bool", "false">:$staircase);
}

def Tfir_InverseTimeDecayAttr :
    Tfir_ScheduleAttr<"InverseTimeDecay", "inverse_time_decay"> {
  let summary = "a rate that is divided by the global step";
  let description = [{
    `initial / (1 + decay_rate * global_step / decay_steps)`; with `staircase`
    `global_step / decay_steps` is rounded down.

    - (C1) decay_steps >= 1
    - (C2) decay_rate >= 0

    Example: `#tfir.inverse_time_decay<initial = 0.1, decay_steps = 100,
    decay_rate = 0.5>`
  }];
  let parameters = (ins Tfir_Number_<"rate at step 0">:$initial,
                        "int64_t":$decay_steps,
                        Tfir_Number_<"share of the rate in decay_steps">:$decay_rate,
                        DefaultValuedParameter<"bool", "false">:$staircase);
}

def Tfir_PiecewiseConstantAttr :
    Tfir_ScheduleAttr<"PiecewiseConstant", "piecewise_constant"> {
  let summary = "a rate with a value for each range of steps";
  let description = [{
    `values[0]` while `global_step <= boundaries[0]`, then `values[1]` while
    `global_step <= boundaries[1]`, and so on; the last value after the last boundary.

    - (C1) the boundaries are steps, and ascend
    - (C2) there is one value more than boundaries

    Example: `#tfir.piecewise_constant<boundaries = [1000, 2000],
    values = [0.1, 0.01, 0.001]>`
  }];
  let parameters = (ins Tfir_Numbers<"last steps of the ranges">:$boundaries,
                        Tfir_Numbers<"rates">:$values);
}

def Tfir_PolynomialDecayAttr :
    Tfir_ScheduleAttr<"PolynomialDecay", "polynomial_decay"> {
  let summary = "a rate that falls along a polynomial to an end";
  let description = [{
    `(initial - end) * (1 - s / decay_steps) ^ power + end` with
    `s = min(global_step, decay_steps)`. With `cycle` the rate does not stay at the
    end: s is the global step, and decay_steps is multiplied by the whole number
    from 1 on that makes it at least s.

    - (C1) decay_steps >= 1
    - (C2) power > 0

    Example: `#tfir.polynomial_decay<initial = 0.1, decay_steps = 1000, power = 2>`
  }];
  let parameters = (ins Tfir_Number_<"rate at step 0">:$initial,
                        "int64_t":$decay_steps,
                        Tfir_DefaultNumber<"rate at the end", "0.0001">:$end,
                        Tfir_DefaultNumber<"power", "1.0">:$power,
                        DefaultValuedParameter<"bool", "false">:$cycle);
}

def Tfir_CosineDecayAttr : Tfir_ScheduleAttr<"CosineDecay", "cosine_decay"> {
  let summary = "a rate that falls along half a period of a cosine";
  let description = [{
    `initial * ((1 - alpha) * (1 + cos(pi * s / decay_steps)) / 2 + alpha)` with
    `s = min(global_step, decay_steps)`.

    - (C1) decay_steps >= 1

    Example: `#tfir.cosine_decay<initial = 0.1, decay_steps = 1000>`
  }];
  let parameters = (ins Tfir_Number_<"rate at step 0">:$initial,
                        "int64_t":$decay_steps,
                        Tfir_DefaultNumber<"share of the rate that is left", "0.0">:
                            $alpha);
}

def Tfir_CosineRestartsAttr :
    Tfir_ScheduleAttr<"CosineRestarts", "cosine_decay_restarts"> {
  let summary = "a rate that falls along a cosine again and again";
  let description = [{
    Period i has `first_decay_steps * t_mul ^ i` steps and begins after those before it:
    `initial * ((1 - alpha) * m_mul ^ i * (1 + cos(pi * f)) / 2 + alpha)` with the share f
    of period i that is done.

    - (C1) first_decay_steps >= 1
    - (C2) t_mul is 1 or at least 1.01
    - (C3) m_mul > 0

    Example: `#tfir.cosine_decay_restarts<initial = 0.1, first_decay_steps = 1000,
    t_mul = 2.0, m_mul = 0.5>`
  }];
  let parameters = (ins Tfir_Number_<"rate at step 0">:$initial,
                        "int64_t":$first_decay_steps,
                        Tfir_DefaultNumber<"factor of a period's length", "2.0">:$t_mul,
                        Tfir_DefaultNumber<"factor of a period's first rate", "1.0">:
                            $m_mul,
                        Tfir_DefaultNumber<"share of the rate that is left", "0.0">:
                            $alpha);
}

def Tfir_NoamDecayAttr : Tfir_ScheduleAttr<"NoamDecay", "noam_decay"> {
  let summary = "the rate of transformers: up in a line, down with the root";
  let description = [{
    `initial * model_dim ^ -0.5 * min(s ^ -0.5, s * warmup_steps ^ -1.5)` with
    `s = global_step + 1` (Vaswani et al. 2017, 5.3).

    - (C1) model_dim >= 1 and warmup_steps >= 1

    Example: `#tfir.noam_decay<model_dim = 512, warmup_steps = 4000>`
  }];
  let parameters = (ins "int64_t":$model_dim, "int64_t":$warmup_steps,
                        Tfir_DefaultNumber<"factor of the rate", "1.0">:$initial);
}

def Tfir_LinearWarmupAttr : Tfir_ScheduleAttr<"LinearWarmup", "linear_warmup"> {
  let summary = "a rate that rises in a line, and then follows another";
  let description = [{
    While `global_step < steps`: `start + (r - start) * global_step / steps` with the
    first rate r of `rate`, a number or a schedule; then `rate`, which counts its steps
    from there.

    - (C1) steps >= 1

    Example: `#tfir.linear_warmup<rate = #tfir.cosine_decay<initial = 0.1,
    decay_steps = 1000>, steps = 100>`
  }];
  let parameters = (ins Tfir_Rate:$rate, "int64_t":$steps,
                        Tfir_DefaultNumber<"rate at step 0", "0.0">:$start);
}

#endif
