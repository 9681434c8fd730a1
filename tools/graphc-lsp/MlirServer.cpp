// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/graphc-lsp/MlirServer.h"

#include "llvm/Support/Error.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/raw_ostream.h"

#include <cerrno>
#include <csignal>
#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

using llvm::StringRef;

namespace graphc::lsp {

static llvm::Error ended() {
  return llvm::createStringError(
      "the server of MLIR's form has ended; change the text to start it again");
}

MlirServer::~MlirServer() {
  // It ends in silence when it is told.
  if (process > 0)
    llvm::consumeError(call("shutdown", nullptr).takeError());
  if (process > 0)
    llvm::consumeError(send(llvm::json::Object{{"method", "exit"}}));
  stop();
}

llvm::Error MlirServer::start() {
  if (process > 0)
    return llvm::Error::success();
  int toProcess[2], fromProcess[2];
  if (pipe2(toProcess, O_CLOEXEC) != 0)
    return llvm::errorCodeToError(llvm::errnoAsErrorCode());
  if (pipe2(fromProcess, O_CLOEXEC) != 0) {
    close(toProcess[0]);
    close(toProcess[1]);
    return llvm::errorCodeToError(llvm::errnoAsErrorCode());
  }
  // A write to a process that has ended is an error, and no signal.
  std::signal(SIGPIPE, SIG_IGN);
  std::string self = llvm::sys::fs::getMainExecutable(nullptr, nullptr);
  std::string form = "--mlir-form", quiet = "-log=error";
  char *arguments[] = {self.data(), form.data(), quiet.data(), nullptr};
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, toProcess[0], STDIN_FILENO);
  posix_spawn_file_actions_adddup2(&actions, fromProcess[1], STDOUT_FILENO);
  int code = posix_spawn(&process, self.c_str(), &actions, nullptr, arguments,
                         environ);
  posix_spawn_file_actions_destroy(&actions);
  close(toProcess[0]);
  close(fromProcess[1]);
  input = toProcess[1];
  output = fromProcess[0];
  if (code != 0) {
    process = -1;
    stop();
    return llvm::errorCodeToError(
        std::error_code(code, std::generic_category()));
  }
  llvm::Expected<llvm::json::Value> answer = call(
      "initialize", llvm::json::Object{{"processId", nullptr},
                                       {"rootUri", nullptr},
                                       {"capabilities", llvm::json::Object{}}});
  return answer ? tell("initialized", llvm::json::Object{})
                : answer.takeError();
}

void MlirServer::stop() {
  if (input >= 0)
    close(input);
  if (output >= 0)
    close(output);
  input = output = -1;
  buffer.clear();
  // Its input has ended, and so does it; a hanging one is not waited for.
  if (process > 0) {
    kill(process, SIGTERM);
    waitpid(process, nullptr, 0);
  }
  process = -1;
}

llvm::Error MlirServer::send(llvm::json::Object message) {
  message["jsonrpc"] = "2.0";
  std::string body;
  llvm::raw_string_ostream(body) << llvm::json::Value(std::move(message));
  std::string text =
      "Content-Length: " + std::to_string(body.size()) + "\r\n\r\n" + body;
  for (size_t sent = 0; sent < text.size();) {
    ssize_t count = write(input, text.data() + sent, text.size() - sent);
    if (count < 0 && errno == EINTR)
      continue;
    if (count <= 0) {
      stop();
      return ended();
    }
    sent += static_cast<size_t>(count);
  }
  return llvm::Error::success();
}

llvm::Expected<llvm::json::Object> MlirServer::receive() {
  while (true) {
    size_t header = buffer.find("\r\n\r\n");
    size_t length = 0;
    if (header != std::string::npos) {
      StringRef text = StringRef(buffer).take_front(header);
      size_t at = text.find("Content-Length:");
      if (at != StringRef::npos)
        text.substr(at + sizeof("Content-Length:") - 1)
            .trim()
            .consumeInteger(10, length);
      size_t end = header + 4 + length;
      if (buffer.size() >= end) {
        auto value =
            llvm::json::parse(StringRef(buffer).slice(header + 4, end));
        buffer.erase(0, end);
        if (!value)
          return value.takeError();
        if (llvm::json::Object *object = value->getAsObject())
          return std::move(*object);
        continue;
      }
    }
    char bytes[1 << 16];
    ssize_t count = read(output, bytes, sizeof(bytes));
    if (count < 0 && errno == EINTR)
      continue;
    if (count <= 0) {
      stop();
      return ended();
    }
    buffer.append(bytes, static_cast<size_t>(count));
  }
}

llvm::Expected<llvm::json::Value> MlirServer::awaitAnswer(int64_t id) {
  while (true) {
    llvm::Expected<llvm::json::Object> message = receive();
    if (!message)
      return message.takeError();
    if (std::optional<StringRef> method = message->getString("method")) {
      llvm::json::Value *params = message->get("params");
      if (!message->get("id"))
        notify(*method, params ? std::move(*params) : nullptr);
      continue;
    }
    if (message->getInteger("id") != id)
      continue;
    if (llvm::json::Object *error = message->getObject("error"))
      return llvm::createStringError(
          error->getString("message").value_or("no message"));
    llvm::json::Value *result = message->get("result");
    return result ? std::move(*result) : llvm::json::Value(nullptr);
  }
}

llvm::Expected<llvm::json::Value> MlirServer::call(StringRef method,
                                                   llvm::json::Value params) {
  if (llvm::Error error = start())
    return std::move(error);
  int64_t id = nextId++;
  if (llvm::Error error = send(llvm::json::Object{
          {"id", id}, {"method", method}, {"params", std::move(params)}}))
    return std::move(error);
  return awaitAnswer(id);
}

llvm::Error MlirServer::tell(StringRef method, llvm::json::Value params) {
  if (llvm::Error error = start())
    return error;
  if (llvm::Error error = send(llvm::json::Object{
          {"method", method}, {"params", std::move(params)}}))
    return error;
  // It answers in order: what has no method is answered with an error.
  llvm::Expected<llvm::json::Value> answer =
      call("graphc/wait", llvm::json::Object{});
  bool isAlive = process > 0;
  if (!answer)
    llvm::consumeError(answer.takeError());
  return isAlive ? llvm::Error::success() : ended();
}

} // namespace graphc::lsp
