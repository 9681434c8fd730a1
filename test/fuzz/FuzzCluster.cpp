// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Fuzzes what names a cluster: its file, TF_CONFIG and lists of hosts. The
// first byte specifies which; what is accepted is equal when it is written and
// read again.
#include "runtime/cluster/ClusterSpec.h"
#include "test/fuzz/Input.h"

using namespace graphc;
using namespace graphc::runtime;

namespace {

StatusOr<ClusterSpec> readLists(std::string_view text) {
  std::string_view lists[3];
  for (std::string_view &list : lists) {
    size_t end = std::min(text.find('\n'), text.size());
    list = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return parseHostLists(lists[0], lists[1], lists[2]);
}

StatusOr<ClusterSpec> readConfig(std::string_view text) {
  GRAPHC_ASSIGN_OR_RETURN(ClusterRole role, parseTfConfig(text));
  role.isChief();
  return role.cluster;
}

} // namespace

int graphc::test::LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  Input input(data, size);
  char kind = input.take<char>();
  std::string_view text = input.takeText();
  StatusOr<ClusterSpec> cluster = kind == 'h'   ? readLists(text)
                                  : kind == 't' ? readConfig(text)
                                                : ClusterSpec::parse(text, "x");
  requireMessage(cluster.status());
  if (!cluster.isOk() || cluster->size() == 0)
    return 0;
  auto again = ClusterSpec::parse(cluster->json(), "again");
  require(again.isOk(), "what is accepted can be written and read");
  require(again->digest() == cluster->digest() &&
              again->json() == cluster->json(),
          "what is written says the same");
  return 0;
}
