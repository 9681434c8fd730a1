// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/target/cuda/program/CudaCollectives.h"

#include "runtime/target/cuda/program/CudaAccelerator.h"

#include <algorithm>

namespace graphc::runtime {

StatusOr<std::unique_ptr<CudaCollectives>>
CudaCollectives::create(const format::Graph &graph,
                        std::span<CudaSlots *const> programs,
                        const ModelDevices &gpus) {
  std::unique_ptr<CudaCollectives> made;
  std::map<uint32_t, SumTerms> sums = collectivesOf(graph, gpus);
  if (sums.empty() || !checkLibrary(graph, sums, gpus).isOk())
    return made;
  // Who runs only some of the programs cannot have them meet.
  for (const auto &[number, terms] : sums)
    for (const SumTerm &term : terms)
      if (!programs[term.program])
        return made;
  made.reset(new CudaCollectives());
  for (const auto &[number, terms] : sums) {
    made->numbers.insert(number);
    GRAPHC_TRY(made->add(graph, terms, programs));
  }
  return made;
}

Status CudaCollectives::add(const format::Graph &graph, const SumTerms &terms,
                            std::span<CudaSlots *const> programs) {
  termsOf.push_back(terms);
  Sum &sum = sums.emplace_back();
  std::vector<const CudaDevice *> devices;
  for (const SumTerm &term : terms) {
    devices.push_back(&programs[term.program]->planDevice().device());
    GRAPHC_TRY(addPlace(*graph.programs()->Get(term.program), term,
                        *programs[term.program]));
  }
  {
    MutexLock lock(sum.mutex);
    sum.hasArrived.resize(terms.size());
  }
  // All GPUs of a model share their groups.
  NcclGroups &groups =
      programs[terms.front().program]->planDevice().ncclGroups();
  GRAPHC_ASSIGN_OR_RETURN(sum.group, groups.find(devices));
  return Status::ok();
}

Status CudaCollectives::addPlace(const format::Program &program,
                                 const SumTerm &term, const CudaSlots &slots) {
  Sum &sum = sums.back();
  const format::AllReduce &reduce =
      *program.instructions()->Get(term.reduce)->action_as_AllReduce();
  sum.count = program.slots()->Get(reduce.target())->size() / sizeof(float);
  NcclTerm place;
  place.source = slots.address(reduce.source());
  place.target = slots.address(reduce.target());
  for (cuda::Event *event : {&place.ready, &place.done}) {
    GRAPHC_ASSIGN_OR_RETURN(std::shared_ptr<CudaEvent> made,
                            CudaEvent::create(slots.planDevice().device()));
    *event = made->handle();
    sum.events.push_back(std::move(made));
  }
  sum.places.push_back(place);
  return Status::ok();
}

CudaCollectives::Place CudaCollectives::placeOf(uint32_t program,
                                                uint32_t instruction) const {
  for (size_t sum = 0; sum < termsOf.size(); ++sum)
    for (size_t term = 0; term < termsOf[sum].size(); ++term)
      if (termsOf[sum][term].program == program &&
          termsOf[sum][term].reduce == instruction)
        return {sum, term};
  return {};
}

const Accelerator &CudaCollectives::accelerator() const {
  return cudaAccelerator();
}

cuda::Event CudaCollectives::ready(uint32_t program, uint32_t reduce) const {
  Place place = placeOf(program, reduce);
  return sums[place.sum].places[place.term].ready;
}

cuda::Event CudaCollectives::done(uint32_t program, uint32_t reduce) const {
  Place place = placeOf(program, reduce);
  return sums[place.sum].places[place.term].done;
}

std::vector<uint32_t> CudaCollectives::usedAt(uint32_t program,
                                              uint32_t instruction) const {
  std::vector<uint32_t> reduces;
  for (const SumTerms &terms : termsOf)
    for (const SumTerm &term : terms)
      if (term.program == program && term.use == instruction)
        reduces.push_back(term.reduce);
  return reduces;
}

std::vector<cuda::Event> CudaCollectives::allDone(uint32_t program) const {
  std::vector<cuda::Event> events;
  for (const SumTerms &terms : termsOf)
    for (const SumTerm &term : terms)
      if (term.program == program)
        events.push_back(done(program, term.reduce));
  return events;
}

void CudaCollectives::beginStep(uint32_t program) {
  for (size_t i = 0; i < sums.size(); ++i) {
    MutexLock lock(sums[i].mutex);
    sums[i].isSubmitted = false;
    for (size_t term = 0; term < termsOf[i].size(); ++term)
      if (termsOf[i][term].program == program)
        sums[i].hasArrived[term] = false;
  }
}

Status CudaCollectives::arrive(uint32_t program, uint32_t instruction) {
  Place place = placeOf(program, instruction);
  Sum &sum = sums[place.sum];
  MutexLock lock(sum.mutex);
  sum.hasArrived[place.term] = true;
  sum.isSubmitted =
      std::ranges::find(sum.hasArrived, false) == sum.hasArrived.end();
  if (!sum.isSubmitted)
    return Status::ok();
  // A step that is walked a second time arrives again.
  std::ranges::fill(sum.hasArrived, false);
  return sum.group->sum(sum.places, sum.count);
}

bool CudaCollectives::isSubmitted(uint32_t program,
                                  uint32_t instruction) const {
  const Sum &sum = sums[placeOf(program, instruction).sum];
  MutexLock lock(sum.mutex);
  return sum.isSubmitted;
}

} // namespace graphc::runtime
