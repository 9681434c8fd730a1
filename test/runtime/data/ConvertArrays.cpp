// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A test tool: reads the arrays of a .npz or .safetensors file and writes them
// to another, whose name's ending says how: .npz, .z.npz (deflated),
// .safetensors, or .npy (the only array).
#include "runtime/checkpoint/Safetensors.h"
#include "runtime/data/Npy.h"

#include <cstdio>

using namespace graphc::runtime;

static StatusOr<std::vector<NamedTensor>> load(const std::string &path) {
  if (path.ends_with(".safetensors"))
    return loadSafetensors(path);
  if (path.ends_with(".npz"))
    return loadNpz(path);
  GRAPHC_ASSIGN_OR_RETURN(HostTensor tensor, loadNpy(path));
  return std::vector<NamedTensor>{{"array", std::move(tensor)}};
}

static Status convert(const std::string &from, const std::string &to) {
  GRAPHC_ASSIGN_OR_RETURN(std::vector<NamedTensor> tensors, load(from));
  if (to.ends_with(".safetensors"))
    return saveSafetensors(to, tensors, {{"from", from}});
  if (to.ends_with(".npz"))
    return saveNpz(to, tensors, to.ends_with(".z.npz"));
  if (tensors.size() != 1)
    return invalidArgument("a .npy file holds one array");
  return saveNpy(to, tensors[0].tensor);
}

int main(int argc, char **argv) {
  if (argc != 3) {
    std::fprintf(stderr, "usage: convert-arrays FROM TO\n");
    return 2;
  }
  Status status = convert(argv[1], argv[2]);
  if (!status.isOk())
    std::fprintf(stderr, "convert-arrays: %s\n", status.message().c_str());
  return status.isOk() ? 0 : 1;
}
