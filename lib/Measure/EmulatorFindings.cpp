//===- EmulatorFindings.cpp - Faults that an emulated run showed ----------===//

#include "EmulatorFindings.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"

using namespace cudal1;

/// `kernel` of `kernel(int const*, int)`, `f::operator()` of
/// `f::operator()(int) const`.
static llvm::StringRef withoutParameters(llvm::StringRef Function) {
  size_t Close = Function.rfind(')');
  int Depth = 0;
  for (size_t At = Close + 1; At-- > 0;) {
    Depth += (Function[At] == ')') - (Function[At] == '(');
    if (!Depth)
      return Function.take_front(At);
  }
  return Function;
}

std::pair<std::string, std::string> EmulatorFinding::key() const {
  return {Kind, withoutParameters(Function).str()};
}

std::string EmulatorFinding::describe() const {
  std::string Place;
  if (!File.empty())
    Place = llvm::sys::path::filename(File).str() + ":" + std::to_string(Line) +
            ": ";
  return Place + Kind + ": " + Message;
}

static std::string text(const llvm::json::Object &Object,
                        llvm::StringRef Name) {
  return Object.getString(Name).value_or("").str();
}

llvm::Expected<std::vector<EmulatorFinding>>
cudal1::readFindings(llvm::StringRef Path) {
  std::vector<EmulatorFinding> Findings;
  if (!llvm::sys::fs::exists(Path))
    return Findings;
  auto Buffer = llvm::MemoryBuffer::getFile(Path);
  if (!Buffer)
    return llvm::createStringError(Buffer.getError(), "cannot read '%s'",
                                   Path.str().c_str());
  llvm::SmallVector<llvm::StringRef> Lines;
  (*Buffer)->getBuffer().split(Lines, '\n', -1, /*KeepEmpty=*/false);
  for (llvm::StringRef Line : Lines) {
    llvm::Expected<llvm::json::Value> Value = llvm::json::parse(Line);
    if (!Value)
      return Value.takeError();
    if (const llvm::json::Object *Object = Value->getAsObject())
      Findings.push_back({text(*Object, "kind"), text(*Object, "file"),
                          text(*Object, "function"),
                          Object->getInteger("line").value_or(0),
                          text(*Object, "message"), text(*Object, "kernel")});
  }
  return Findings;
}
