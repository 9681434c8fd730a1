// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tests statuses made of gRPC's texts.
#include "runtime/rpc/StatusMap.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

using namespace graphc::runtime;

namespace {

Status unavailable(const std::string &text) {
  return fromGrpc({grpc::StatusCode::UNAVAILABLE, text});
}

TEST(StatusMapTest, KnowsCertificatesThatDoNotFit) {
  for (const char *text :
       {"Ssl handshake failed: SSL_ERROR_SSL: CERTIFICATE_VERIFY_FAILED",
        "Hostname Verification Check failed: not in peer certificate"}) {
    Status status = unavailable(text);
    EXPECT_EQ(status.code(), StatusCode::PermissionDenied) << text;
    EXPECT_THAT(status.message(),
                testing::HasSubstr("certificates do not fit"));
  }
}

TEST(StatusMapTest, TellsASilentPeerInPlainWords) {
  Status status = unavailable("keepalive watchdog timeout");
  EXPECT_EQ(status.code(), StatusCode::Unavailable);
  EXPECT_THAT(status.message(), testing::StartsWith("no heartbeat"));
}

TEST(StatusMapTest, TellsACallThatWasEndedForItsMemoryInPlainWords) {
  Status status = fromGrpc({grpc::StatusCode::RESOURCE_EXHAUSTED,
                            "Received RST_STREAM with error code 11"});
  EXPECT_EQ(status.code(), StatusCode::ResourceExhausted);
  EXPECT_THAT(status.message(), testing::StartsWith("it ended this call"));
  EXPECT_EQ(fromGrpc({grpc::StatusCode::RESOURCE_EXHAUSTED, "full"}).message(),
            "full");
}

// A link that fails while it is being made: waiting mends it, certificates do
// not.
TEST(StatusMapTest, KnowsAHandshakeThatWasGivenUp) {
  for (const char *text :
       {"failed to connect to all addresses; last error: UNKNOWN: "
        "ipv4:10.77.0.1:2222: tcp handshaker shutdown",
        "failed to connect to all addresses; last error: UNKNOWN: "
        "ipv4:10.77.0.1:2222: handshaker shutdown",
        "Handshake timed out"}) {
    Status status = unavailable(text);
    EXPECT_EQ(status.code(), StatusCode::Unavailable) << text;
    EXPECT_EQ(status.message(), text);
  }
}

} // namespace
