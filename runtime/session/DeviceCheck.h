// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Checks that this process has the devices that a model is compiled for.
#ifndef GRAPHC_RUNTIME_SESSION_DEVICECHECK_H
#define GRAPHC_RUNTIME_SESSION_DEVICECHECK_H

#include "runtime/format/Model.h"

#include <set>
#include <string>

namespace graphc::runtime {

/// The full names of the accelerators that programs or variables of the model
/// are on.
std::set<std::string> acceleratorsOf(const Model &model);

/// A process is one task with CPUs, and its CPU executes the programs of each
/// of them; those of accelerators need code for one (openDevices() looks for
/// it). With `virtualGpus` it executes those of all other devices and tasks,
/// too, since every program has code for the CPU. FAILED_PRECONDITION lists
/// what is missing and suggests how to go on.
Status checkDevices(const Model &model, bool virtualGpus);

} // namespace graphc::runtime

#endif
