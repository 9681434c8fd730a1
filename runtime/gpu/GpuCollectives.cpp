// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/gpu/GpuCollectives.h"

#include <algorithm>

namespace graphc::runtime {

StatusOr<std::unique_ptr<GpuCollectives>>
GpuCollectives::create(const format::Graph &graph,
                       std::span<GpuSlots *const> programs,
                       const GpuModel &gpus) {
  std::unique_ptr<GpuCollectives> made;
  std::map<uint32_t, GpuTerms> sums = collectivesOf(graph, gpus);
  if (sums.empty() || !checkLibrary(graph, sums, gpus).isOk())
    return made;
  // Who runs only some of the programs cannot have them meet.
  for (const auto &[number, terms] : sums)
    for (const GpuTerm &term : terms)
      if (!programs[term.program])
        return made;
  made.reset(new GpuCollectives());
  for (const auto &[number, terms] : sums) {
    made->numbers.insert(number);
    GRAPHC_TRY(made->add(graph, terms, programs, gpus));
  }
  return made;
}

Status GpuCollectives::add(const format::Graph &graph, const GpuTerms &terms,
                           std::span<GpuSlots *const> programs,
                           const GpuModel &gpus) {
  termsOf.push_back(terms);
  Sum &sum = sums.emplace_back();
  std::vector<const CudaDevice *> devices;
  for (const GpuTerm &term : terms) {
    devices.push_back(&programs[term.program]->unit().device());
    GRAPHC_TRY(addPlace(*graph.programs()->Get(term.program), term,
                        *programs[term.program]));
  }
  sum.hasArrived.resize(terms.size());
  GRAPHC_ASSIGN_OR_RETURN(sum.group, gpus.ncclGroups().find(devices));
  return Status::ok();
}

Status GpuCollectives::addPlace(const format::Program &program,
                                const GpuTerm &term, const GpuSlots &slots) {
  Sum &sum = sums.back();
  const format::AllReduce &reduce =
      *program.instructions()->Get(term.reduce)->action_as_AllReduce();
  sum.count = program.slots()->Get(reduce.target())->size() / sizeof(float);
  NcclTerm place;
  place.source = slots.address(reduce.source());
  place.target = slots.address(reduce.target());
  for (cuda::Event *event : {&place.ready, &place.done}) {
    GRAPHC_ASSIGN_OR_RETURN(std::shared_ptr<CudaEvent> made,
                            CudaEvent::create(slots.unit().device()));
    *event = made->handle();
    sum.events.push_back(std::move(made));
  }
  sum.places.push_back(place);
  return Status::ok();
}

GpuCollectives::Place GpuCollectives::placeOf(uint32_t program,
                                              uint32_t instruction) const {
  for (size_t sum = 0; sum < termsOf.size(); ++sum)
    for (size_t term = 0; term < termsOf[sum].size(); ++term)
      if (termsOf[sum][term].program == program &&
          termsOf[sum][term].reduce == instruction)
        return {sum, term};
  return {};
}

cuda::Event GpuCollectives::ready(uint32_t program, uint32_t reduce) const {
  Place place = placeOf(program, reduce);
  return sums[place.sum].places[place.term].ready;
}

cuda::Event GpuCollectives::done(uint32_t program, uint32_t reduce) const {
  Place place = placeOf(program, reduce);
  return sums[place.sum].places[place.term].done;
}

std::vector<uint32_t> GpuCollectives::usedAt(uint32_t program,
                                             uint32_t instruction) const {
  std::vector<uint32_t> reduces;
  for (const GpuTerms &terms : termsOf)
    for (const GpuTerm &term : terms)
      if (term.program == program && term.use == instruction)
        reduces.push_back(term.reduce);
  return reduces;
}

std::vector<cuda::Event> GpuCollectives::allDone(uint32_t program) const {
  std::vector<cuda::Event> events;
  for (const GpuTerms &terms : termsOf)
    for (const GpuTerm &term : terms)
      if (term.program == program)
        events.push_back(done(program, term.reduce));
  return events;
}

void GpuCollectives::beginStep(uint32_t program) {
  for (size_t i = 0; i < sums.size(); ++i) {
    std::lock_guard lock(sums[i].mutex);
    sums[i].isSubmitted = false;
    for (size_t term = 0; term < termsOf[i].size(); ++term)
      if (termsOf[i][term].program == program)
        sums[i].hasArrived[term] = false;
  }
}

Status GpuCollectives::arrive(uint32_t program, uint32_t instruction) {
  Place place = placeOf(program, instruction);
  Sum &sum = sums[place.sum];
  std::lock_guard lock(sum.mutex);
  sum.hasArrived[place.term] = true;
  sum.isSubmitted =
      std::ranges::find(sum.hasArrived, false) == sum.hasArrived.end();
  if (!sum.isSubmitted)
    return Status::ok();
  // A step that is walked a second time arrives again.
  std::ranges::fill(sum.hasArrived, false);
  return sum.group->sum(sum.places, sum.count);
}

bool GpuCollectives::isSubmitted(uint32_t program, uint32_t instruction) const {
  const Sum &sum = sums[placeOf(program, instruction).sum];
  std::lock_guard lock(sum.mutex);
  return sum.isSubmitted;
}

} // namespace graphc::runtime
