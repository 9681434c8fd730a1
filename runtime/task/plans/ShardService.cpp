// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/task/plans/ShardService.h"

#include <algorithm>
#include <cstdio>
#include <utility>

namespace graphc::runtime {

namespace {

protocol::Reply::Shard::Digest toMessage(const TensorDigest &digest) {
  protocol::Reply::Shard::Digest message;
  message.set_low(digest[0]);
  message.set_high(digest[1]);
  return message;
}

uint64_t bytesOf(const ShardTensors &tensors) {
  uint64_t bytes = 0;
  for (const NamedTensor &named : tensors)
    bytes += named.tensor.bytes.size();
  return bytes;
}

std::string secondsText(int64_t nanos) {
  char text[32];
  std::snprintf(text, sizeof(text), "%.3f s", static_cast<double>(nanos) / 1e9);
  return text;
}

} // namespace

Status ShardService::probe(const RequestKey &key,
                           const protocol::Request::Snapshot &request) {
  requests.open(key);
  auto found = std::make_shared<Status>();
  host.doAside(
      [found, request, &files = files] {
        *found = probeFolder(files, request.folder(), request.token(),
                             request.file());
      },
      [this, found, key] {
        if (!requests.isOpen(key))
          return; // the client has gone
        if (found->isOk())
          requests.done(key);
        else
          requests.fail(key, *found);
      });
  return Status::ok();
}

Status ShardService::write(const RequestKey &key,
                           const protocol::Request::Snapshot &request,
                           int64_t deadline) {
  GRAPHC_TRY(snapshots.shard(keyOf(request.id())).status());
  requests.open(key);
  waiting.add({key, request, deadline});
  return Status::ok();
}

bool ShardService::pump() {
  bool moved = false;
  for (Waiting &each : waiting.take([&](const Waiting &each) {
         auto tensors = snapshots.shard(keyOf(each.request.id()));
         return !tensors.isOk() || *tensors;
       })) {
    moved = true;
    auto tensors = snapshots.shard(keyOf(each.request.id()));
    if (tensors.isOk())
      begin(each, std::move(*tensors));
    else
      requests.fail(each.key, tensors.status());
  }
  return moved;
}

void ShardService::begin(const Waiting &each,
                         std::shared_ptr<const ShardTensors> tensors) {
  auto job = std::make_shared<Job>();
  job->key = each.key;
  job->id = keyOf(each.request.id());
  job->path = each.request.folder() + "/" + each.request.file();
  job->tensors = std::move(tensors);
  job->begin = host.nowNanos();
  jobs.push_back(job);
  host.doAside(
      [job, request = each.request, &files = files] {
        if (job->isCancelled.load())
          return;
        // The folder may be another one than when it was asked for.
        if (Status status = probeFolder(files, request.folder(),
                                        request.token(), request.file());
            !status.isOk()) {
          job->written = status;
          return;
        }
        std::vector<const NamedTensor *> list;
        for (const NamedTensor &named : *job->tensors)
          list.push_back(&named);
        job->written =
            writeShard(files, job->path, std::move(list), &job->isCancelled);
      },
      [this, job] { end(*job); });
}

void ShardService::end(Job &job) {
  uint64_t bytes = bytesOf(*job.tensors);
  job.tensors.reset(); // the copy's memory is free
  std::erase_if(jobs, [&](const auto &each) { return each.get() == &job; });
  if (job.isCancelled.load())
    return;
  snapshots.drop(job.id);
  if (!job.written.isOk()) {
    host.log(Severity::Warning, "cannot write a shard of a checkpoint: " +
                                    job.written.status().message());
    return requests.fail(job.key, job.written.status());
  }
  host.log(Severity::Info,
           "wrote " + job.path + ", " + std::to_string(job.written->size) +
               " bytes in " + secondsText(host.nowNanos() - job.begin));
  protocol::Reply reply;
  protocol::Reply::Shard &shard = *reply.mutable_shard();
  shard.set_size(job.written->size);
  shard.set_tensor_bytes(bytes);
  *shard.mutable_header() = toMessage(job.written->header);
  for (const auto &[name, digest] : job.written->tensors)
    (*shard.mutable_tensors())[name] = toMessage(digest);
  requests.answer(job.key, std::move(reply));
}

void ShardService::drop(RunKey id) {
  for (const std::shared_ptr<Job> &job : jobs)
    if (job->id == id && !job->isCancelled.exchange(true))
      requests.fail(job->key, cancelled("the checkpoint was given up"));
  for (const Waiting &each : waiting.take(
           [&](const Waiting &each) { return keyOf(each.request.id()) == id; }))
    requests.fail(each.key, cancelled("the checkpoint was given up"));
}

void ShardService::dropClient(ClientId client) {
  for (const std::shared_ptr<Job> &job : jobs)
    if (job->key.client == client)
      job->isCancelled.store(true);
  waiting.dropClient(client);
}

void ShardService::cancelAll() {
  for (const std::shared_ptr<Job> &job : jobs)
    job->isCancelled.store(true);
}

void ShardService::expire(int64_t now) {
  for (const Waiting &each : waiting.takeExpired(now))
    requests.fail(each.key, Status(StatusCode::DeadlineExceeded,
                                   "the updates before the snapshot have not "
                                   "been made in time"));
}

} // namespace graphc::runtime
