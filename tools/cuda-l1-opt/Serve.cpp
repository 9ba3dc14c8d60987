//===- Serve.cpp - The environment on stdin and stdout --------------------===//

#include "Serve.h"
#include "Environment.h"
#include "Version.h"
#include "cudal1/Network/Encoding.h"
#include "cudal1/Policy/AdvisorPolicy.h"
#include <iostream>

using namespace cudal1;
namespace json = llvm::json;

/// Grows when a request or an answer changes its meaning.
static constexpr int64_t ProtocolVersion = 1;

namespace {

class Server {
public:
  explicit Server(const Setup &S) : S(S) {}

  json::Object answer(llvm::StringRef Line);

private:
  using Handler = llvm::Expected<json::Value> (Server::*)(const json::Object &);
  struct Request {
    llvm::StringLiteral Name;
    Handler Serve;
    bool NeedsProgram;
  };
  static const Request Requests[];

  llvm::Expected<json::Value> hello(const json::Object &R);
  llvm::Expected<json::Value> open(const json::Object &R);
  llvm::Expected<json::Value> reset(const json::Object &R);
  llvm::Expected<json::Value> sites(const json::Object &R);
  llvm::Expected<json::Value> apply(const json::Object &R);
  llvm::Expected<json::Value> go(const json::Object &R);
  llvm::Expected<json::Value> measure(const json::Object &R);
  llvm::Expected<json::Value> scores(const json::Object &R);
  llvm::Expected<json::Value> emulate(const json::Object &R);
  llvm::Expected<json::Value> source(const json::Object &R);
  llvm::Expected<json::Value> close(const json::Object &R);
  llvm::Expected<json::Value> serve(const json::Object &R);

  const Setup &S;
  std::unique_ptr<Environment> Program;
};

} // namespace

const Server::Request Server::Requests[] = {
    {"hello", &Server::hello, false},    {"kernels", &Server::open, false},
    {"reset", &Server::reset, true},     {"sites", &Server::sites, true},
    {"apply", &Server::apply, true},     {"go", &Server::go, true},
    {"measure", &Server::measure, true}, {"emulate", &Server::emulate, true},
    {"scores", &Server::scores, true},   {"source", &Server::source, true},
    {"close", &Server::close, false},
};

static llvm::Expected<llvm::StringRef> text(const json::Object &R,
                                            llvm::StringRef Key) {
  if (auto Value = R.getString(Key))
    return *Value;
  return llvm::createStringError("'" + Key + "' is missing, or no string");
}

/// A whole number that is not negative.
static std::optional<uint64_t> indexOf(const json::Value &V) {
  std::optional<int64_t> Number = V.getAsInteger();
  if (!Number || *Number < 0)
    return std::nullopt;
  return static_cast<uint64_t>(*Number);
}

llvm::Expected<json::Value> Server::hello(const json::Object &) {
  json::Object Result{{"protocol", ProtocolVersion},
                      {"schema", schema().Hash},
                      {"tool", CUDAL1_VERSION}};
  if (S.Gpu)
    Result["gpu"] = S.Gpu->Name;
  else
    Result["no_gpu"] = S.NoGpu;
  return Result;
}

/// Another program takes the place of the one before it.
llvm::Expected<json::Value> Server::open(const json::Object &R) {
  llvm::Expected<llvm::StringRef> File = text(R, "file");
  if (!File)
    return File.takeError();
  std::optional<std::vector<std::string>> Args;
  if (const json::Value *Given = R.get("args")) {
    Args.emplace();
    json::Path::Root Root;
    if (!json::fromJSON(*Given, *Args, Root))
      return llvm::createStringError("'args' is no list of strings");
  }
  auto Opened = Environment::open(S, *File, std::move(Args));
  if (!Opened)
    return Opened.takeError();
  llvm::Expected<json::Value> Kernels = (*Opened)->kernels();
  if (!Kernels)
    return Kernels.takeError();
  Program = std::move(*Opened);
  return json::Object{{"kernels", std::move(*Kernels)}};
}

llvm::Expected<json::Value> Server::reset(const json::Object &R) {
  llvm::Expected<llvm::StringRef> Kernel = text(R, "kernel");
  if (!Kernel)
    return Kernel.takeError();
  if (llvm::Error E = Program->reset(*Kernel))
    return std::move(E);
  return Program->describe();
}

llvm::Expected<json::Value> Server::sites(const json::Object &) {
  return Program->describe();
}

llvm::Expected<json::Value> Server::apply(const json::Object &R) {
  const json::Value *Given = R.get("action");
  std::optional<uint64_t> Index = Given ? indexOf(*Given) : std::nullopt;
  if (!Index)
    return llvm::createStringError("'action' is missing, or no number");
  if (llvm::Error E = Program->apply(*Index))
    return std::move(E);
  return Program->describe();
}

llvm::Expected<json::Value> Server::go(const json::Object &R) {
  llvm::Expected<llvm::StringRef> Node = text(R, "node");
  if (!Node)
    return Node.takeError();
  if (llvm::Error E = Program->go(*Node))
    return std::move(E);
  return Program->describe();
}

llvm::Expected<json::Value> Server::measure(const json::Object &R) {
  const json::Array *Given = R.getArray("actions");
  if (!Given)
    return llvm::createStringError("'actions' is missing, or no list");
  std::vector<uint64_t> Indices;
  for (const json::Value &V : *Given) {
    std::optional<uint64_t> Index = indexOf(V);
    if (!Index)
      return llvm::createStringError("'actions' holds what is no number");
    Indices.push_back(*Index);
  }
  llvm::Expected<json::Value> Results = Program->measure(Indices);
  if (!Results)
    return Results.takeError();
  return json::Object{{"results", std::move(*Results)}};
}

llvm::Expected<json::Value> Server::scores(const json::Object &R) {
  llvm::StringRef Which = R.getString("policy").value_or("learned");
  if (Which == "table")
    return Program->scores(AdvisorPolicy());
  if (Which != "learned")
    return llvm::createStringError("there is no policy '" + Which +
                                   "'; there is learned, table");
  if (!S.Learned)
    return llvm::createStringError(
        "there is no learned policy: --policy=FILE names its weights");
  return Program->scores(*S.Learned);
}

llvm::Expected<json::Value> Server::emulate(const json::Object &) {
  return Program->emulate();
}

llvm::Expected<json::Value> Server::source(const json::Object &) {
  return json::Object{{"text", json::fixUTF8(Program->text())}};
}

llvm::Expected<json::Value> Server::close(const json::Object &) {
  Program.reset();
  return json::Object{};
}

llvm::Expected<json::Value> Server::serve(const json::Object &R) {
  llvm::Expected<llvm::StringRef> Name = text(R, "request");
  if (!Name)
    return Name.takeError();
  for (const Request &Each : Requests) {
    if (Each.Name != *Name)
      continue;
    if (Each.NeedsProgram && !Program)
      return llvm::createStringError(
          "no program is open: 'kernels' with a 'file' comes first");
    return (this->*Each.Serve)(R);
  }
  return llvm::createStringError("there is no request '" + *Name + "'");
}

json::Object Server::answer(llvm::StringRef Line) {
  json::Object Result;
  llvm::Expected<json::Value> Parsed = json::parse(Line);
  std::string Problem;
  if (!Parsed) {
    Problem = "this is no JSON: " + llvm::toString(Parsed.takeError());
  } else if (const json::Object *R = Parsed->getAsObject()) {
    if (const json::Value *Id = R->get("id"))
      Result["id"] = *Id;
    llvm::Expected<json::Value> Answer = serve(*R);
    if (Answer) {
      for (auto &[Key, Value] : *Answer->getAsObject())
        Result[Key] = std::move(Value);
      return Result;
    }
    Problem = llvm::toString(Answer.takeError());
  } else {
    Problem = "a request is a JSON object";
  }
  Result["error"] = json::fixUTF8(Problem);
  return Result;
}

ExitCode cudal1::serve(const Setup &S) {
  Server TheServer(S);
  std::string Line;
  while (!S.interrupted() && std::getline(std::cin, Line)) {
    if (llvm::StringRef(Line).trim().empty())
      continue;
    S.Out.results() << json::Value(TheServer.answer(Line)) << '\n';
    S.Out.results().flush();
  }
  return S.interrupted() ? ExitCode::Interrupted : ExitCode::Success;
}
