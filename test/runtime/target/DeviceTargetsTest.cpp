// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The table of targets, and devices of a kind that no target of this build has.
#include "runtime/target/DeviceTargets.h"
#include "runtime/target/DeviceProgram.h"
#include "test/runtime/format/ModelBuilder.h"

#include <cstring>
#include <gtest/gtest.h>

using namespace graphc;
using namespace graphc::runtime;

namespace {

constexpr const char *kToy0 = "/job:localhost/replica:0/task:0/device:TOY:0";
constexpr const char *kToy1 = "/job:localhost/replica:0/task:0/device:TOY:1";

/// A kind whose devices have memory of the host.
class ToyAccelerator final : public Accelerator {
public:
  StatusOr<OpenedDevices> open(const Model &, const std::set<std::string> &,
                               const DeviceOpenOptions &) const override {
    return unavailable("there are no toys");
  }
  Status link(const format::Graph &,
              std::span<DeviceSlots *const>) const override {
    return Status::ok();
  }
  StatusOr<std::unique_ptr<Collectives>>
  findCollectives(const format::Graph &, std::span<DeviceSlots *const>,
                  const ModelDevices &) const override {
    return std::unique_ptr<Collectives>();
  }
  std::vector<std::string>
  describeCollectives(const Model &, const ModelDevices &) const override {
    return {"all-reduce: as compiled"};
  }
};

const ToyAccelerator kToys;

struct ToyMemory final : DeviceAllocation {
  explicit ToyMemory(size_t bytes) : bytes(bytes) {}
  DeviceAddress address() const override {
    return reinterpret_cast<DeviceAddress>(bytes.data());
  }
  mutable std::vector<std::byte> bytes;
};

class ToyDevice final : public Device {
public:
  ToyDevice(int number, uint64_t bytes) {
    about = {number, "TOY", "Toy", "toy1", bytes, {{"colour", "red"}}};
  }
  const Accelerator &accelerator() const override { return kToys; }
  const DeviceFacts &facts() const override { return about; }
  StatusOr<uint64_t> freeBytes() const override { return about.bytes; }
  StatusOr<std::unique_ptr<DeviceAllocation>>
  allocate(size_t bytes, std::string_view) const override {
    return std::unique_ptr<DeviceAllocation>(new ToyMemory(bytes));
  }
  Status upload(DeviceAddress to,
                std::span<const std::byte> from) const override {
    std::memcpy(reinterpret_cast<void *>(to), from.data(), from.size());
    return Status::ok();
  }
  Status download(std::span<std::byte> to, DeviceAddress from) const override {
    std::memcpy(to.data(), reinterpret_cast<void *>(from), to.size());
    return Status::ok();
  }
  StatusOr<std::unique_ptr<DeviceSlots>>
  createSlots(const DeviceSlotsSpec &) override {
    return unavailable("toys execute nothing");
  }
  StatusOr<std::unique_ptr<DeviceProgram>>
  createProgram(const DeviceProgramSpec &) override {
    return unavailable("toys execute nothing");
  }

private:
  DeviceFacts about;
};

/// Two variables on toys, one that is elsewhere.
std::shared_ptr<const Model> modelOnToys() {
  test::ModelBuilder builder;
  const TensorType pair{DType::Float32, {2}};
  builder.variables = {test::VariableSpec{"a", pair},
                       test::VariableSpec{"b", pair},
                       test::VariableSpec{"c", pair}};
  builder.variables[0].device = kToy0;
  builder.variables[1].device = kToy1;
  builder.variables[2].device = "/job:localhost/replica:0/task:0/device:CPU:0";
  auto model = Model::fromBytes(builder.finish(), "toys");
  EXPECT_TRUE(model.isOk()) << model.status().message();
  return *model;
}

OpenedDevices twoToys(uint64_t bytes) {
  OpenedDevices devices;
  devices[kToy0] = std::make_unique<ToyDevice>(0, bytes);
  devices[kToy1] = std::make_unique<ToyDevice>(1, bytes);
  return devices;
}

TEST(DeviceTargets, EachHasAForm) {
  auto formats = executableFormats();
  auto targets = deviceTargets();
  ASSERT_EQ(formats.size(), targets.size());
  for (size_t i = 0; i < targets.size(); ++i) {
    EXPECT_EQ(targets[i]->name(), formats[i]->target());
    EXPECT_EQ(targets[i]->deviceType(), formats[i]->deviceType());
    EXPECT_EQ(findFormat(targets[i]->name()), formats[i]);
    EXPECT_EQ(targetOfType(targets[i]->deviceType()), targets[i]);
    // The host executes what is no accelerator's.
    EXPECT_EQ(targets[i]->accelerator() == nullptr, i == 0);
    EXPECT_EQ(formats[i]->hasDeviceMemory(), i != 0);
  }
  EXPECT_EQ(hostTarget().deviceType(), "CPU");
  EXPECT_EQ(targetOfType("TOY"), nullptr);
  EXPECT_EQ(formatOfType("TOY"), nullptr);
  EXPECT_EQ(findFormat("toy"), nullptr);
}

TEST(DeviceTargets, AModelMustHaveCode) {
  auto model = modelOnToys();
  EXPECT_TRUE(canExecute(*model, *DeviceName::parse("/device:CPU:0")));
  EXPECT_FALSE(canExecute(*model, *DeviceName::parse("/device:GPU:0")));
  EXPECT_FALSE(canExecute(*model, *DeviceName::parse(kToy0)));
  EXPECT_TRUE(isAccelerator(*DeviceName::parse("/device:GPU:0")));
  EXPECT_FALSE(isAccelerator(*DeviceName::parse("/device:CPU:0")));
  EXPECT_FALSE(isAccelerator(*DeviceName::parse(kToy0)));
}

TEST(DeviceTargets, OnlyAcceleratorsAreOpened) {
  auto model = modelOnToys();
  auto none = openDevices(*model, {}, {});
  ASSERT_TRUE(none.isOk());
  EXPECT_EQ(*none, nullptr);
  EXPECT_EQ(openDevices(*model, {kToy0}, {}).status().message(),
            "'" + std::string(kToy0) + "' is not a device that can be opened");
}

TEST(ModelDevices, HasTheVariablesOfItsDevices) {
  auto model = modelOnToys();
  auto set = ModelDevices::create(*model, twoToys(1 << 20));
  ASSERT_TRUE(set.isOk()) << set.status().message();
  EXPECT_NE((*set)->variable(0), 0u);
  EXPECT_NE((*set)->variable(1), 0u);
  EXPECT_EQ((*set)->variable(2), 0u);
  EXPECT_EQ((*set)->find("/device:TOY:0"), nullptr);
  float written[] = {1, 2}, read[] = {0, 0};
  ASSERT_TRUE(
      (*set)->readVariable(1, std::as_writable_bytes(std::span(read))).isOk());
  EXPECT_EQ(read[1], 0);
  ASSERT_TRUE(
      (*set)->writeVariable(1, std::as_bytes(std::span(written))).isOk());
  ASSERT_TRUE(
      (*set)->readVariable(1, std::as_writable_bytes(std::span(read))).isOk());
  EXPECT_EQ(read[1], 2);
}

TEST(ModelDevices, DescribesWhatItHas) {
  auto model = modelOnToys();
  auto set = ModelDevices::create(*model, twoToys(1 << 20));
  ASSERT_TRUE(set.isOk());
  std::vector<std::string> lines = (*set)->describe();
  ASSERT_EQ(lines.size(), 3u);
  EXPECT_NE(lines[1].find(" -> device: 1, name: Toy, colour: red"),
            std::string::npos)
      << lines[1];
  EXPECT_EQ(lines[2], "all-reduce: as compiled"); // once per kind
}

TEST(ModelDevices, ComparesWhatIsFree) {
  auto model = modelOnToys();
  auto set = ModelDevices::create(*model, twoToys(7));
  ASSERT_FALSE(set.isOk());
  EXPECT_EQ(set.status().code(), StatusCode::ResourceExhausted);
  EXPECT_NE(
      set.status().message().find("but 7 of 7 bytes are free on TOY 0 (Toy)"),
      std::string::npos)
      << set.status().message();
}

} // namespace
