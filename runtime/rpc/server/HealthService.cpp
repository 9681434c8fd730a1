// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/rpc/server/HealthService.h"

#include "runtime/format/Quote.h"

namespace graphc::runtime {

namespace {
constexpr size_t kMaxName = 256; ///< of a service
} // namespace

HealthService::Answer::ServingStatus
HealthService::find(const std::string &name) const {
  auto found = statuses.find(name);
  return found == statuses.end() ? Answer::SERVICE_UNKNOWN : found->second;
}

void HealthService::set(const std::string &name, bool isServing) {
  MutexLock lock(mutex);
  statuses[name] = isServing ? Answer::SERVING : Answer::NOT_SERVING;
  for (const std::shared_ptr<HealthWatch> &watch : watches) {
    watch->health.mutex.assertHeld(); // this one's
    watch->update();
  }
}

StatusOr<HealthService::Answer>
HealthService::check(const std::string &name) const {
  MutexLock lock(mutex);
  Answer answer;
  answer.set_status(find(name));
  if (answer.status() != Answer::SERVICE_UNKNOWN)
    return answer;
  std::string known;
  for (const auto &[each, status] : statuses)
    known += (known.empty() ? "" : ", ") + quote(each);
  return notFound("this server has no service " +
                  quote(name.substr(0, kMaxName)) +
                  "; ask for the health of one of " + known);
}

void HealthService::begin(const std::shared_ptr<HealthWatch> &watch,
                          std::shared_ptr<void> token) {
  MutexLock lock(mutex);
  watch->health.mutex.assertHeld(); // this one's
  watch->token = std::move(token);
  if (watches.size() >= kMaxWatches)
    return watch->finish(resourceExhausted(
        "this server has " + std::to_string(kMaxWatches) +
        " watches of its health, which is all that it takes; end one, or ask "
        "by Check"));
  if (watch->question.service().size() > kMaxName)
    return watch->finish(invalidArgument("no service has a name of more than " +
                                         std::to_string(kMaxName) + " bytes"));
  if (watch->isOver)
    return;
  watches.insert(watch);
  watch->update();
}

void HealthService::stop(const Status &why) {
  MutexLock lock(mutex);
  for (auto &[name, status] : statuses)
    status = Answer::NOT_SERVING;
  for (const std::shared_ptr<HealthWatch> &watch : watches) {
    watch->health.mutex.assertHeld(); // this one's
    watch->update();
    watch->finish(why);
  }
}

HealthWatch::HealthWatch(HealthService &health)
    : health(health), writer(&context) {
  writing.done = &HealthWatch::onWritten;
  finishing.done = &HealthWatch::onFinished;
  over.done = &HealthWatch::onOver;
}

void HealthWatch::Operation::complete(bool) {
  std::shared_ptr<HealthWatch> self = std::move(owner);
  ((*self).*done)();
}

void *HealthWatch::start(Operation &operation) {
  operation.owner = shared_from_this();
  return static_cast<CompletionEvent *>(&operation);
}

void HealthWatch::request(grpc::ServerCompletionQueue &queue,
                          CompletionEvent *arrival) {
  // Else nobody notices that a client has gone until the status changes. It
  // may come on another thread before the arrival does.
  context.AsyncNotifyWhenDone(start(over));
  health.calls.RequestWatch(&context, &question, &writer, &queue, &queue,
                            arrival);
}

void HealthWatch::forget() { over.owner.reset(); }

void HealthWatch::update() {
  HealthService::Answer now;
  now.set_status(health.find(question.service()));
  if (isWriting || isOver || (hasSent && now.status() == sent.status()))
    return;
  sent = now;
  hasSent = isWriting = true;
  writer.Write(sent, start(writing));
}

void HealthWatch::finish(const Status &why) {
  isEnding = true;
  ending = why;
  if (!isWriting && !isOver)
    writer.Finish(toGrpc(why), start(finishing));
}

void HealthWatch::onWritten() {
  MutexLock lock(health.mutex);
  isWriting = false;
  update(); // it may have changed meanwhile
  if (isEnding)
    finish(ending);
}

void HealthWatch::onOver() {
  MutexLock lock(health.mutex);
  isOver = true;
  health.watches.erase(shared_from_this());
}

} // namespace graphc::runtime
