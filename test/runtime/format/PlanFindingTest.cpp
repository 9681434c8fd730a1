// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Each rule about plans, on views that are written by hand: a plan that keeps
// it, and one that breaks it only, with the place of the finding.
#include "runtime/format/check/PlanFinding.h"

#include <gtest/gtest.h>

#include <initializer_list>

using namespace graphc::runtime;
using Kind = InstructionView::Kind;

namespace {

class ShortNames : public PlanNames {
public:
  std::string program(uint32_t program) const override {
    return "p" + std::to_string(program);
  }
  std::string instruction(uint32_t, uint32_t index) const override {
    return "#" + std::to_string(index);
  }
  std::string slot(uint32_t, uint32_t index) const override {
    return "%" + std::to_string(index);
  }
  std::string edge(uint32_t edge) const override {
    return "e" + std::to_string(edge);
  }
  std::string variable(uint32_t, uint32_t) const override { return "'v'"; }
  std::string allReduce() const override { return "AllReduce"; }
};

using List = std::vector<uint32_t>;

/// View in the making. Slots are of 64 bytes, and live for the whole step;
/// instructions wait for all before them.
class TestPlan {
public:
  explicit TestPlan(size_t programs) { view.programs.resize(programs); }

  uint32_t arena(uint32_t program, uint64_t offset, uint64_t size = 64) {
    SlotView slot;
    slot.offset = offset;
    slot.size = size;
    slot.last = 9;
    return add(program, slot);
  }
  uint32_t variable(uint32_t program, uint32_t index) {
    SlotView slot;
    slot.kind = SlotView::Kind::Variable;
    slot.variable = index;
    slot.size = 64;
    return add(program, slot);
  }
  InstructionView &compute(uint32_t program, List reads, List writes) {
    return add(program, Kind::Compute, reads, writes, {});
  }
  InstructionView &send(uint32_t program, uint32_t edge, uint32_t slot) {
    return add(program, Kind::Send, {slot}, {}, {edge});
  }
  InstructionView &recv(uint32_t program, uint32_t edge, uint32_t slot) {
    return add(program, Kind::Recv, {}, {slot}, {edge});
  }
  InstructionView &reduce(uint32_t program, uint64_t number, uint32_t term,
                          uint32_t sum) {
    InstructionView &made =
        add(program, Kind::AllReduce, {term, sum}, {sum}, {});
    made.allReduce = number;
    return made;
  }
  InstructionView &next(uint32_t program, BatchView batch) {
    InstructionView &made = add(program, Kind::NextBatch, {}, {}, {});
    made.batch = batch;
    return made;
  }

  SlotView &slot(uint32_t program, uint32_t index) {
    return view.programs[program].slots[index];
  }
  InstructionView &at(uint32_t program, uint32_t index) {
    return view.programs[program].instructions[index];
  }
  std::string refusal() const {
    PlanResult finding = checkPlanView(view, ShortNames());
    return finding ? finding->text(ShortNames()) : "accepted";
  }

  PlanView view;

private:
  uint32_t add(uint32_t program, SlotView slot) {
    view.programs[program].slots.push_back(slot);
    return view.programs[program].slots.size() - 1;
  }
  InstructionView &add(uint32_t program, Kind kind, const List &reads,
                       const List &writes, const List &edges) {
    ProgramView &own = view.programs[program];
    InstructionView made;
    made.kind = kind;
    made.reads = own.add(reads);
    made.writes = own.add(writes);
    List waits;
    for (uint32_t i = 0; i < own.instructions.size(); ++i)
      waits.push_back(i);
    made.waits = own.add(waits);
    made.edges = own.add(edges);
    for (uint32_t edge : edges)
      if (edge >= view.collectives.size())
        view.collectives.resize(edge + 1);
    own.instructions.push_back(made);
    view.order.push_back(program);
    return own.instructions.back();
  }
};

/// Program 0 makes a value (#0) and sends it (#1), program 1 receives it (#0).
TestPlan makeTransfer() {
  TestPlan plan(2);
  uint32_t x = plan.arena(0, 0), y = plan.arena(1, 0);
  plan.compute(0, {}, {x});
  plan.send(0, 0, x);
  plan.recv(1, 0, y);
  return plan;
}

/// Two programs make their terms (#0), exchange them (#1, #2), add up (#3) and
/// have an AllReduce of all that (#4).
TestPlan makeSum() {
  TestPlan plan(2);
  for (uint32_t p : {0, 1})
    for (uint64_t offset : {0, 64, 128})
      plan.arena(p, offset);
  for (uint32_t p : {0, 1}) {
    plan.compute(p, {}, {0});
    plan.send(p, p, 0).serves = 1;
  }
  for (uint32_t p : {0, 1}) {
    plan.recv(p, 1 - p, 1).serves = 1;
    plan.compute(p, {0, 1}, {2}).serves = 1;
    plan.reduce(p, 1, 0, 2);
  }
  return plan;
}

PlanResult findingOf(const TestPlan &plan) {
  return checkPlanView(plan.view, ShortNames());
}

TEST(Plans, AreAccepted) {
  EXPECT_EQ(makeTransfer().refusal(), "accepted");
  EXPECT_EQ(makeSum().refusal(), "accepted");
  EXPECT_EQ(TestPlan(1).refusal(), "accepted");
}

TEST(Findings, HaveTheirPlaces) {
  TestPlan plan = makeTransfer();
  plan.view.order = {0, 1, 0};
  PlanResult finding = findingOf(plan);
  ASSERT_TRUE(finding && finding->at && finding->other);
  EXPECT_EQ(finding->at->program, 1u);
  EXPECT_EQ(finding->at->instruction, 0u);
  EXPECT_EQ(finding->other->program, 0u);
  EXPECT_EQ(finding->other->instruction, 1u);
  EXPECT_EQ(finding->text(ShortNames()),
            "entry 1 of its order: p1: #0 waits for e0, which #1 sends only "
            "later");
}

TEST(Order, LeadsEachProgramToItsEnd) {
  auto ordered = [](List order) {
    TestPlan plan = makeTransfer();
    plan.view.order = std::move(order);
    return plan.refusal();
  };
  EXPECT_EQ(ordered({0, 2}),
            "entry 1 of its order: program 2 does not exist; there are 2");
  EXPECT_EQ(ordered({0, 0, 0}),
            "entry 2 of its order: p0 has no more than 2 instructions");
  EXPECT_EQ(ordered({0, 0}), "its order ends before p1: #0");
  EXPECT_EQ(ordered({}), "its order ends before p0: #0");
}

TEST(Order, IsThatOfTheWholePlan) {
  TestPlan plan = makeTransfer();
  plan.view.order = {};
  plan.view.isWhole = false;
  EXPECT_EQ(plan.refusal(), "accepted");
}

TEST(Collectives, AreMetInOneOrder) {
  // Of each of two collectives, both programs send one edge and receive one.
  auto exchange = [](List sends, List recvs) {
    TestPlan plan(2);
    for (uint32_t p : {0, 1}) {
      for (uint32_t i = 0; i < 3; ++i)
        plan.arena(p, 64 * i);
      plan.compute(p, {}, {0});
    }
    plan.send(0, 0, 0);
    plan.send(0, 1, 0);
    for (uint32_t edge : sends)
      plan.send(1, edge, 0);
    plan.recv(0, 2, 1);
    plan.recv(0, 3, 2);
    for (uint32_t edge : recvs)
      plan.recv(1, edge, 1 + edge);
    plan.view.collectives = {1, 2, 1, 2};
    return plan.refusal();
  };
  EXPECT_EQ(exchange({2, 3}, {0, 1}), "accepted");
  EXPECT_EQ(exchange({3, 2}, {0, 1}),
            "collective 1: p1: #2 begins it before or after another "
            "collective that another program meets in the other order");
  EXPECT_EQ(exchange({2, 3}, {1, 0}),
            "collective 1: p1: #4 ends it before or after another "
            "collective that another program meets in the other order");
}

TEST(AllReduces, HaveANumberAndPartners) {
  TestPlan plan = makeSum();
  plan.at(0, 4).allReduce = 0;
  EXPECT_EQ(plan.refusal(), "p0: #4: it is an AllReduce without a number; they "
                            "count from 1");
  plan = makeSum();
  plan.reduce(0, 1, 0, 2);
  EXPECT_EQ(plan.refusal(), "p0: #5: it is AllReduce 1, as p0: #4 is already");
  plan = makeSum();
  plan.reduce(0, 2, 0, 2);
  EXPECT_EQ(plan.refusal(), "p0: #5: AllReduce 2 is in no other program; it "
                            "needs two or more");
  plan = makeSum();
  plan.slot(1, 0).size = 32;
  EXPECT_EQ(plan.refusal(),
            "p1: #4: it adds 32 bytes to AllReduce 1, but p0: #4 adds 64");
}

TEST(Servants, HaveNoOtherEffect) {
  TestPlan plan = makeSum();
  plan.at(0, 3).serves = 9;
  EXPECT_EQ(plan.refusal(), "p0: #3: it serves AllReduce 9, which is not "
                            "after it in its program");
  plan = makeSum();
  plan.compute(0, {}, {1}).serves = 1;
  EXPECT_EQ(plan.refusal(), "p0: #5: it serves AllReduce 1, which is not "
                            "after it in its program");
  plan = makeSum();
  plan.at(0, 0).kind = Kind::HostCall;
  plan.at(0, 0).serves = 1;
  EXPECT_EQ(plan.refusal(), "p0: #0: it serves AllReduce 1, but is not a "
                            "Dispatch, Copy, Fill, Send or Recv");
  plan = makeSum();
  plan.slot(0, 2).kind = SlotView::Kind::Variable;
  EXPECT_EQ(plan.refusal(),
            "p0: #3: it serves AllReduce 1 alone, but writes a variable");
  plan = makeSum();
  plan.compute(0, {1}, {plan.arena(0, 192)});
  EXPECT_EQ(plan.refusal(),
            "p0: #5: it reads %1, which #2 makes for AllReduce 1 alone");
}

TEST(Servants, AreBothEndpointsOfATransfer) {
  TestPlan plan = makeSum();
  plan.at(0, 1).serves = 0;
  EXPECT_EQ(plan.refusal(), "p1: #2: it is one end of e0, whose other end does "
                            "not serve the same AllReduce");
}

TEST(Libraries, HaveNoDeadlock) {
  auto reduced = [](List numbers) {
    TestPlan plan(2);
    for (uint32_t p : {0, 1}) {
      for (uint64_t offset : {0, 64, 128})
        plan.arena(p, offset);
      plan.compute(p, {}, {0, 1, 2});
    }
    for (uint32_t number : {1, 2})
      plan.reduce(0, number, 0, number);
    for (uint32_t number : numbers)
      plan.reduce(1, number, 0, number);
    return plan.refusal();
  };
  EXPECT_EQ(reduced({1, 2}), "accepted");
  EXPECT_EQ(reduced({2, 1}),
            "p0: #1: it is in a deadlock where a library does each AllReduce: "
            "other programs come to it only after what waits for this one");
}

TEST(Variables, AreWrittenByOneProgram) {
  auto used = [](bool firstWrites, bool secondWrites) {
    TestPlan plan(2);
    for (uint32_t p : {0, 1}) {
      uint32_t w = plan.variable(p, 7);
      bool writes = p == 0 ? firstWrites : secondWrites;
      plan.compute(p, writes ? List{} : List{w}, writes ? List{w} : List{});
    }
    return plan.refusal();
  };
  EXPECT_EQ(used(false, false), "accepted");
  EXPECT_EQ(used(true, false),
            "variable 'v': p1: #0 reads it while p0: #0 writes it");
  EXPECT_EQ(used(false, true),
            "variable 'v': p1: #0 writes it while p0: #0 reads it");
}

TEST(Shards, AreTakenOnceByOneProgram) {
  auto taken = [](std::initializer_list<std::pair<uint32_t, BatchView>> calls,
                  bool isWhole = true) {
    TestPlan plan(2);
    for (const auto &[program, batch] : calls)
      plan.next(program, batch);
    plan.view.isWhole = isWhole;
    return plan.refusal();
  };
  EXPECT_EQ(taken({{0, {0, 0, 2}}, {1, {0, 1, 2}}}), "accepted");
  EXPECT_EQ(taken({{0, {0, 0, 2}}, {1, {0, 1, 3}}}),
            "p1: #0: it divides a batch into 3 shards where p0: #0 makes 2");
  EXPECT_EQ(taken({{0, {0, 0, 1}}, {1, {0, 0, 1}}}),
            "p1: #0: it takes shard 0 as p0: #0 does; one shard belongs to one "
            "program");
  EXPECT_EQ(taken({{0, {0, 0, 2}}, {0, {0, 0, 2}}, {1, {0, 1, 2}}}),
            "p1: #0: shard 1 is taken 1 times but shard 0 2 times");
  EXPECT_EQ(taken({{0, {0, 0, 2}}}),
            "p0: #0: no instruction takes shard 1 of 2");
  EXPECT_EQ(taken({{0, {0, 1, 2}}}, false), "accepted");
}

TEST(Memory, IsNotSharedByValuesInUse) {
  TestPlan plan = makeTransfer();
  uint32_t other = plan.arena(0, 32);
  EXPECT_EQ(plan.refusal(),
            "p0: %1 lies in bytes of %0 while both are in use, at "
            "instruction #0");
  // A slot within another one with the same life is a view of it.
  plan.slot(0, other).size = 32;
  EXPECT_EQ(plan.refusal(), "accepted");
  plan.slot(0, other).first = 1;
  EXPECT_EQ(plan.refusal(),
            "p0: %1 lies in bytes of %0 while both are in use, at "
            "instruction #1");
}

TEST(Memory, OfPortsIsKept) {
  auto fed = [](auto change) {
    TestPlan plan = makeTransfer();
    uint32_t x = plan.arena(0, 64);
    plan.view.feeds.push_back({"x", 0, x});
    plan.view.fetches.push_back({"y", 0, x});
    change(plan, x);
    return plan.refusal();
  };
  EXPECT_EQ(fed([](TestPlan &, uint32_t) {}), "accepted");
  EXPECT_EQ(fed([](TestPlan &p, uint32_t x) { p.slot(0, x).first = 1; }),
            "p0: feed x: %1 is not kept from the start");
  EXPECT_EQ(fed([](TestPlan &p, uint32_t x) {
              p.view.feeds.push_back({"again", 0, x});
            }),
            "p0: feed again: %1 is fed twice");
  EXPECT_EQ(fed([](TestPlan &p, uint32_t x) { p.slot(0, x).last = 0; }),
            "p0: fetch y: %1 is not kept to the end");
  EXPECT_EQ(fed([](TestPlan &p, uint32_t) { p.view.feeds.clear(); }),
            "p0: fetch y: it reads %1, which nothing has written before");
}

TEST(Memory, IsUsedWhileItLives) {
  TestPlan plan = makeTransfer();
  plan.slot(0, 0).first = 1;
  EXPECT_EQ(plan.refusal(),
            "p0: #0: it uses %0 outside of its lifetime, #1 to #9");
  plan = makeTransfer();
  plan.compute(0, {plan.arena(0, 64)}, {});
  EXPECT_EQ(plan.refusal(),
            "p0: #2: it reads %1, which nothing has written before");
}

TEST(Memory, IsOrderedByWaits) {
  TestPlan plan = makeTransfer();
  plan.at(0, 1).waits = {};
  EXPECT_EQ(plan.refusal(), "p0: #1: it does not wait for #0, which uses the "
                            "bytes of %0 before it");
  PlanResult finding = findingOf(plan);
  ASSERT_TRUE(finding->at && finding->other);
  EXPECT_EQ(finding->at->instruction, 1u);
  EXPECT_EQ(finding->other->instruction, 0u);
  // A write waits for the reads before it.
  plan = makeTransfer();
  plan.compute(0, {}, {0});
  plan.at(0, 2).waits = plan.view.programs[0].add(List{0});
  EXPECT_EQ(plan.refusal(), "p0: #2: it does not wait for #1, which uses the "
                            "bytes of %0 before it");
  plan = TestPlan(1);
  uint32_t w = plan.variable(0, 0);
  plan.compute(0, {}, {w});
  plan.compute(0, {w}, {});
  EXPECT_EQ(plan.refusal(), "accepted");
  plan.at(0, 1).waits = {};
  EXPECT_EQ(plan.refusal(), "p0: #1: it does not wait for #0, which uses the "
                            "bytes of %0 before it");
}

TEST(Memory, OfWhatArrivesIsKeptFromTheStart) {
  TestPlan plan = makeTransfer();
  plan.slot(1, 0).first = 1;
  EXPECT_EQ(plan.refusal(), "p1: #0: %0 is in use from instruction #1 on, but "
                            "its bytes may arrive before");
  plan = makeTransfer();
  plan.view.feeds.push_back({"y", 1, 0});
  EXPECT_EQ(plan.refusal(), "p1: #0: %0 is fed and received");
  plan = TestPlan(2);
  uint32_t x = plan.arena(0, 0), y = plan.arena(1, 0);
  plan.compute(0, {}, {x});
  plan.send(0, 0, x);
  plan.compute(1, {}, {y});
  plan.recv(1, 0, y);
  EXPECT_EQ(plan.refusal(), "p1: #1: %0 is written by #0 while its bytes may "
                            "arrive already");
}

TEST(Memory, IsWrittenOnceByAnInstruction) {
  TestPlan plan = makeTransfer();
  plan.compute(0, {}, {plan.arena(0, 64, 128), plan.arena(0, 128)});
  EXPECT_EQ(plan.refusal(), "p0: #2: it writes the bytes of %2 twice");
}

/// A view with many slots over the same bytes does not take long.
TEST(Memory, IsCheckedInBoundedTime) {
  TestPlan plan(1);
  List views;
  for (uint64_t i = 0; i < 4096; ++i)
    views.push_back(plan.arena(0, 64 * i));
  uint32_t whole = plan.arena(0, 0, 64 * views.size());
  for (SlotView &slot : plan.view.programs[0].slots)
    slot.last = 3000;
  plan.compute(0, {}, views);
  for (uint32_t i = 0; i < 2000; ++i) {
    plan.compute(0, {whole}, {});
    plan.at(0, i + 1).waits = plan.view.programs[0].add(List{0});
  }
  EXPECT_NE(plan.refusal().find("its slots overlap in too many ways"),
            std::string::npos)
      << plan.refusal();
}

} // namespace
