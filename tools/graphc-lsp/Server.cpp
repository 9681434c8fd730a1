// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/graphc-lsp/Server.h"

#include "tools/graphc-lsp/Answers.h"

#include "llvm/Support/LSP/Protocol.h"

using llvm::StringRef;

namespace graphc::lsp {

namespace {

/// Methods that MLIR's server has.
constexpr StringRef kMlirMethods[] = {
    "textDocument/definition", "textDocument/references",
    "textDocument/hover",      "textDocument/documentSymbol",
    "textDocument/completion", "textDocument/codeAction"};

const llvm::json::Object &objectIn(const llvm::json::Object &from,
                                   StringRef key) {
  static const llvm::json::Object none;
  const llvm::json::Object *found = from.getObject(key);
  return found ? *found : none;
}

StringRef uriIn(const llvm::json::Object &params) {
  return objectIn(params, "textDocument").getString("uri").value_or("");
}

/// The place in the text that a request is about.
const char *placeIn(const Analysis &text, const llvm::json::Object *position) {
  return text.source.data() + text.lines.offsetOf(positionFrom(position));
}

std::pair<const char *, const char *>
rangeIn(const Analysis &text, const llvm::json::Object &params) {
  const llvm::json::Object &range = objectIn(params, "range");
  return {placeIn(text, range.getObject("start")),
          placeIn(text, range.getObject("end"))};
}

llvm::json::Object capabilities() {
  using llvm::json::Array;
  using llvm::json::Object;
  constexpr int kFullText = 1;
  return Object{
      {"textDocumentSync",
       Object{{"openClose", true}, {"change", kFullText}, {"save", true}}},
      {"hoverProvider", true},
      {"definitionProvider", true},
      {"referencesProvider", true},
      {"documentHighlightProvider", true},
      {"documentSymbolProvider", true},
      {"foldingRangeProvider", true},
      {"documentFormattingProvider", true},
      {"renameProvider", Object{{"prepareProvider", true}}},
      {"inlayHintProvider", true},
      {"codeActionProvider", true},
      {"completionProvider",
       Object{{"triggerCharacters",
               Array{"(", ",", "=", ":", "%", "@", "!", "^", "#", "\"", "."}}}},
      {"signatureHelpProvider", Object{{"triggerCharacters", Array{"(", ","}}}},
      {"semanticTokensProvider",
       Object{{"legend", tokenLegend()}, {"full", true}}}};
}

} // namespace

Server::Server(llvm::lsp::JSONTransport &client, AnalysisOptions options)
    : client(client), options(std::move(options)),
      mlir([this](StringRef method, llvm::json::Value params) {
        this->client.notify(method, std::move(params));
      }) {
  addMethods();
}

void Server::addMethods() {
  // Methods about a place.
  auto atPlace = [&](StringRef method,
                     Json (*function)(const Analysis &, const char *)) {
    methods[method] = [function](const Analysis &text, const Object &params) {
      return function(text, placeIn(text, params.getObject("position")));
    };
  };
  atPlace("textDocument/hover", hover);
  atPlace("textDocument/completion", completion);
  atPlace("textDocument/signatureHelp", signatureHelp);
  atPlace("textDocument/definition", definition);
  atPlace("textDocument/documentHighlight", highlights);
  // Methods about the text.
  auto ofText = [&](StringRef method, Json (*function)(const Analysis &)) {
    methods[method] = [function](const Analysis &text, const Object &) {
      return function(text);
    };
  };
  ofText("textDocument/documentSymbol", documentSymbols);
  ofText("textDocument/foldingRange", foldingRanges);
  ofText("textDocument/semanticTokens/full", semanticTokens);
  methods["textDocument/formatting"] =
      [](const Analysis &text, const Object &) { return formatting(text); };
  methods["textDocument/references"] = [](const Analysis &text,
                                          const Object &params) {
    return references(text, placeIn(text, params.getObject("position")),
                      objectIn(params, "context")
                          .getBoolean("includeDeclaration")
                          .value_or(true));
  };
  methods["textDocument/prepareRename"] = [](const Analysis &text,
                                             const Object &params) {
    return prepareRename(text, placeIn(text, params.getObject("position")));
  };
  methods["textDocument/rename"] = [](const Analysis &text,
                                      const Object &params) {
    return rename(text, placeIn(text, params.getObject("position")),
                  params.getString("newName").value_or(""));
  };
  methods["textDocument/inlayHint"] = [](const Analysis &text,
                                         const Object &params) {
    auto [begin, end] = rangeIn(text, params);
    return inlayHints(text, begin, end);
  };
  methods["textDocument/codeAction"] = [](const Analysis &text,
                                          const Object &params) {
    auto [begin, end] = rangeIn(text, params);
    return codeActions(text, begin, end);
  };
}

Server::Answer Server::initialize(const Object &params) {
  const Object &given = objectIn(params, "initializationOptions");
  if (std::optional<int64_t> batch = given.getInteger("batch");
      batch && *batch > 0) {
    options.compile.batch = *batch;
    options.hasBatch = true;
  }
  auto addTexts = [&](StringRef key, std::vector<std::string> &texts) {
    if (std::optional<StringRef> one = given.getString(key)) {
      if (!one->empty())
        texts.push_back(one->str());
    } else if (const llvm::json::Array *list = given.getArray(key)) {
      for (const llvm::json::Value &each : *list)
        if (std::optional<StringRef> text = each.getAsString())
          texts.push_back(text->str());
    }
  };
  addTexts("devices", options.compile.devices.devices);
  addTexts("define", options.compile.define);
  return Object{{"capabilities", capabilities()},
                {"serverInfo", Object{{"name", "graphc-lsp"}}}};
}

void Server::report(llvm::Error error) {
  constexpr int kError = 1;
  std::string message = llvm::toString(std::move(error));
  client.notify("window/showMessage",
                Object{{"type", kError}, {"message", "graphc: " + message}});
}

void Server::open(StringRef uri, std::string source, const Object &params,
                  bool isNew) {
  auto found = documents.find(uri);
  bool wasMlir = found != documents.end() && !found->second;
  if (text::isText(source)) {
    if (wasMlir)
      if (llvm::Error error =
              mlir.tell("textDocument/didClose",
                        Object{{"textDocument", Object{{"uri", uri}}}}))
        report(std::move(error));
    auto analysis =
        std::make_unique<Analysis>(std::move(source), pathOf(uri), options);
    Json problems = diagnostics(*analysis, uri);
    if (auto version = objectIn(params, "textDocument").getInteger("version"))
      problems.getAsObject()->insert({"version", *version});
    documents[uri] = std::move(analysis);
    return client.notify("textDocument/publishDiagnostics",
                         std::move(problems));
  }
  documents[uri] = nullptr;
  Object document = objectIn(params, "textDocument");
  llvm::Error error = llvm::Error::success();
  if (wasMlir && !isNew) {
    error = mlir.tell(
        "textDocument/didChange",
        Object{{"textDocument", std::move(document)},
               {"contentChanges",
                llvm::json::Array{Object{{"text", std::move(source)}}}}});
  } else {
    document["text"] = std::move(source);
    document.try_emplace("languageId", "mlir");
    document.try_emplace("version", 0);
    error = mlir.tell("textDocument/didOpen",
                      Object{{"textDocument", std::move(document)}});
  }
  if (error) {
    documents.erase(uri);
    report(std::move(error));
  }
}

void Server::notice(StringRef method, Object &params) {
  std::string uri = uriIn(params).str();
  if (method == "textDocument/didOpen") {
    StringRef source =
        objectIn(params, "textDocument").getString("text").value_or("");
    open(uri, source.str(), params, /*isNew=*/true);
  } else if (method == "textDocument/didChange") {
    const llvm::json::Array *changes = params.getArray("contentChanges");
    const Object *last =
        changes && !changes->empty() ? changes->back().getAsObject() : nullptr;
    if (last)
      open(uri, last->getString("text").value_or("").str(), params,
           /*isNew=*/false);
  } else if (method == "textDocument/didSave") {
    // Texts that import the saved one change with it.
    std::vector<std::pair<std::string, std::string>> importers;
    for (auto &[other, analysis] : documents)
      if (analysis && llvm::any_of(analysis->imports, [&](const auto &import) {
            return import->path == pathOf(uri);
          }))
        importers.push_back({other.str(), analysis->source});
    for (auto &[other, source] : importers)
      open(other, source, Object(), /*isNew=*/false);
  } else if (method == "textDocument/didClose") {
    auto found = documents.find(uri);
    if (found == documents.end())
      return;
    bool isMlir = !found->second;
    documents.erase(found);
    if (isMlir) {
      if (llvm::Error error = mlir.tell(method, std::move(params)))
        report(std::move(error));
      return;
    }
    client.notify("textDocument/publishDiagnostics",
                  Object{{"uri", uri}, {"diagnostics", llvm::json::Array()}});
  }
}

Server::Answer Server::answer(StringRef method, Object &params) {
  if (method == "initialize")
    return initialize(params);
  if (method == "shutdown") {
    isShutDown = true;
    return nullptr;
  }
  auto found = methods.find(method);
  if (found == methods.end() && !method.starts_with("mlir/"))
    return llvm::make_error<llvm::lsp::LSPError>(
        "graphc-lsp has no method '" + method.str() + "'",
        llvm::lsp::ErrorCode::MethodNotFound);
  std::string uri = uriIn(params).str();
  auto document = documents.find(uri);
  if (document == documents.end() && found != methods.end())
    return llvm::make_error<llvm::lsp::LSPError>(
        "'" + uri + "' is not open", llvm::lsp::ErrorCode::InvalidParams);
  if (document != documents.end() && document->second && found != methods.end())
    return found->second(*document->second, params);
  if (method.starts_with("mlir/") || llvm::is_contained(kMlirMethods, method))
    return mlir.call(method, std::move(params));
  return nullptr;
}

bool Server::handle(Object &message) {
  std::optional<StringRef> method = message.getString("method");
  // Answers of the client: there are no questions to it.
  if (!method)
    return true;
  Object none;
  Object *given = message.getObject("params");
  Object &params = given ? *given : none;
  llvm::json::Value *id = message.get("id");
  if (!id) {
    if (*method == "exit")
      return false;
    notice(*method, params);
    return true;
  }
  std::string name = method->str();
  client.reply(*id, answer(name, params));
  return true;
}

int Server::run(llvm::lsp::JSONTransportInput &input) {
  std::string text;
  while (!input.isEndOfInput()) {
    if (input.hasError())
      break;
    if (llvm::failed(input.readMessage(text)))
      continue;
    llvm::Expected<llvm::json::Value> message = llvm::json::parse(text);
    if (!message) {
      report(message.takeError());
      continue;
    }
    if (Object *object = message->getAsObject())
      if (!handle(*object))
        return isShutDown ? 0 : 1;
  }
  return 1;
}

} // namespace graphc::lsp
