// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Scripts of faults: any text is refused with its line, or can be told and
// played.
#include "runtime/sim/FaultScript.h"
#include "test/fuzz/Input.h"
#include "test/runtime/sim/SimModels.h"

using namespace graphc;
using namespace graphc::runtime;

int graphc::test::LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  static const ClusterSpec cluster = simCluster();
  auto script =
      FaultScript::parse(Input(data, size).takeText(), "faults", cluster);
  requireMessage(script.status());
  if (!script.isOk())
    return 0;
  for (const Fault &fault : script->faults)
    require(!describeFault(fault, cluster).empty(), "a fault can be told");
  for (const LinkFault &link : script->links)
    require(link.quality.leastDelay <= link.quality.mostDelay,
            "a delay has a least and a most");
  return 0;
}
