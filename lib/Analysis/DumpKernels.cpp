//===- DumpKernels.cpp - Prints what analysis found -----------------------===//

#include "cudal1/Analysis/DumpKernels.h"

#include "clang/AST/ASTContext.h"
#include "clang/Lex/Lexer.h"

using namespace clang;

namespace cudal1 {

namespace {

/// The facts of one kernel and of its launches in words.
class Describer {
public:
  Describer(const Kernel &K, const ProgramAnalysis &A) : K(K), A(A) {}

  unsigned line(SourceLocation Where) const {
    return K.Context->getSourceManager().getExpansionLineNumber(Where);
  }

  std::string use(const KernelParameter &P) const {
    std::vector<std::string> Words;
    if (P.Use.Read && P.Use.Written)
      Words.push_back("read-write");
    else if (P.Use.Read)
      Words.push_back("read");
    else if (P.Use.Written)
      Words.push_back("written");
    if (P.Use.Atomic)
      Words.push_back("atomic");
    if (P.Use.Escapes)
      Words.push_back("escapes");
    if (Words.empty())
      Words.push_back("unused");
    return llvm::join(Words, ", ");
  }

  std::string base(const MemoryAccess &M) const {
    return M.Base ? M.Base->getNameAsString() : "?";
  }

  std::string index(const MemoryAccess &M) const {
    if (!M.Base || M.InCallee)
      return "?";
    return K.Symbols.str(M.Index);
  }

  std::string accessClass(const MemoryAccess &M) const {
    if (M.Class == AccessClass::Strided && M.ThreadStride)
      return "strided by " + K.Symbols.str(*M.ThreadStride);
    return toString(M.Class).str();
  }

  std::string loopHead(const Loop &L) const {
    if (!L.Variable)
      return "not counted";
    if (!L.Counted)
      return "not counted, " + L.Variable->getNameAsString() + " from " +
             K.Symbols.str(L.Lower) + " step " + K.Symbols.str(L.StepForm);
    std::string Text =
        L.Variable->getNameAsString() + " from " + K.Symbols.str(L.Lower) +
        (L.Step && *L.Step < 0 ? " down to " : " to ") +
        K.Symbols.str(L.Upper) + " step " + K.Symbols.str(L.StepForm);
    if (L.TripCount)
      Text += ", " + std::to_string(*L.TripCount) + " iterations";
    return Text;
  }

  std::vector<std::string> loopFlags(const Loop &L) const {
    std::vector<std::string> Flags;
    if (L.HasBarrier)
      Flags.push_back("barrier");
    if (L.HasEarlyExit)
      Flags.push_back("early-exit");
    if (L.HasUnrollPragma)
      Flags.push_back("unroll-pragma");
    return Flags;
  }

  std::string array(const ArrayVariable &V) const {
    std::string Text =
        V.ElementType.getAsString() + " " + V.Decl->getNameAsString();
    for (int64_t Extent : V.Extents)
      Text += "[" + std::to_string(Extent) + "]";
    if (V.Dynamic)
      Text += "[] (sized at the launch)";
    return Text;
  }

  std::string source(const Expr *E) const {
    if (!E)
      return "";
    ASTContext &Host = A.program().context(Side::Host);
    const SourceManager &Sources = Host.getSourceManager();
    CharSourceRange Range = Lexer::makeFileCharRange(
        CharSourceRange::getTokenRange(E->getSourceRange()), Sources,
        Host.getLangOpts());
    if (Range.isInvalid())
      Range = Sources.getExpansionRange(E->getSourceRange());
    return Lexer::getSourceText(Range, Sources, Host.getLangOpts()).str();
  }

  std::string extents(const std::array<LaunchExtent, 3> &Extents,
                      const Expr *Written) const {
    if (!Extents[0].Known)
      return Written ? source(Written) : "?";
    std::vector<std::string> Parts;
    Parts.reserve(Extents.size());
    for (const LaunchExtent &Extent : Extents)
      Parts.push_back(Extent.Value ? std::to_string(*Extent.Value)
                                   : source(Extent.Expression));
    while (Parts.size() > 1 && Parts.back() == "1")
      Parts.pop_back();
    return "(" + llvm::join(Parts, ", ") + ")";
  }

private:
  const Kernel &K;
  const ProgramAnalysis &A;
};

/// "a, b, c" of names that may repeat, each once with its count.
template <typename Range> std::string counted(const Range &Items) {
  std::vector<std::pair<std::string, unsigned>> Counts;
  for (const auto &Item : Items) {
    auto It = llvm::find_if(
        Counts, [&](const auto &Known) { return Known.first == Item.Name; });
    if (It == Counts.end())
      Counts.emplace_back(Item.Name, 1);
    else
      ++It->second;
  }
  std::vector<std::string> Words;
  Words.reserve(Counts.size());
  for (const auto &[Name, Count] : Counts)
    Words.push_back(Count == 1 ? Name : Name + " x" + std::to_string(Count));
  return llvm::join(Words, ", ");
}

void printParameters(const Kernel &K, const Describer &D,
                     llvm::raw_ostream &OS) {
  for (const KernelParameter &P : K.Parameters) {
    OS << "  parameter " << P.Decl->getNameAsString() << ": "
       << P.Decl->getType().getAsString();
    if (P.IsPointer)
      OS << ", " << D.use(P);
    OS << "\n";
  }
}

void printBody(const Kernel &K, const Describer &D, llvm::raw_ostream &OS) {
  for (const auto &L : K.Loops) {
    OS << "  loop line " << D.line(L->Statement->getBeginLoc()) << " depth "
       << L->Depth << ": " << D.loopHead(*L);
    for (const std::string &Flag : D.loopFlags(*L))
      OS << ", " << Flag;
    OS << "\n";
  }
  for (const MemoryAccess &M : K.Accesses) {
    OS << "  " << toString(M.Kind) << " line "
       << D.line(M.Expression->getBeginLoc()) << ": " << toString(M.Space)
       << " " << D.base(M) << "[" << D.index(M) << "]" << M.Member << " "
       << (M.ElementType.isNull() ? "?" : M.ElementType.getAsString()) << ", "
       << D.accessClass(M);
    if (!M.Affine)
      OS << ", not affine: " << M.NonAffineReason;
    if (M.Conditional)
      OS << ", conditional";
    OS << "\n";
  }
  for (const Barrier &B : K.Barriers)
    OS << "  barrier line " << D.line(B.Call->getBeginLoc()) << ": "
       << toString(B.Kind) << (B.Conditional ? ", conditional" : "") << "\n";
  for (const ArrayVariable &V : K.SharedArrays)
    OS << "  shared " << D.array(V) << "\n";
  for (const ArrayVariable &V : K.LocalArrays)
    OS << "  local " << D.array(V) << "\n";
  if (!K.WarpOperations.empty())
    OS << "  warp operations: " << counted(K.WarpOperations) << "\n";
  if (!K.MathCalls.empty())
    OS << "  maths: " << counted(K.MathCalls) << "\n";
  if (!K.Atomics.empty())
    OS << "  atomics: " << counted(K.Atomics) << "\n";
  if (K.HasAsm)
    OS << "  inline assembly\n";
  if (!K.UnknownCalls.empty())
    OS << "  unknown calls: " << llvm::join(K.UnknownCalls, ", ") << "\n";
}

void printLaunches(const Kernel &K, const Describer &D, llvm::raw_ostream &OS) {
  for (const Launch *L : K.Launches) {
    OS << "  launch line " << L->Line << ": " << toString(L->Form) << " grid "
       << D.extents(L->GridExtent, L->Grid) << " block "
       << D.extents(L->BlockExtent, L->Block);
    if (L->SharedBytes)
      OS << " shared " << D.source(L->SharedBytes);
    if (L->Stream)
      OS << " stream " << D.source(L->Stream);
    if (L->HostLoop)
      OS << ", in a host loop";
    if (L->InMacro)
      OS << ", in a macro";
    OS << "\n";
  }
}

llvm::json::Array accessesToJson(const Kernel &K, const Describer &D) {
  llvm::json::Array Accesses;
  for (const MemoryAccess &M : K.Accesses) {
    llvm::json::Object O{
        {"line", D.line(M.Expression->getBeginLoc())},
        {"kind", toString(M.Kind)},
        {"space", toString(M.Space)},
        {"base", M.Base ? llvm::json::Value(D.base(M)) : nullptr},
        {"index", D.index(M)},
        {"member", M.Member},
        {"type", M.ElementType.isNull() ? "" : M.ElementType.getAsString()},
        {"element_bytes", int64_t(M.ElementSize)},
        {"affine", M.Affine},
        {"class", toString(M.Class)},
        {"conditional", M.Conditional},
        {"loop_depth", M.InLoop ? int64_t(M.InLoop->Depth) : int64_t(0)}};
    if (!M.Affine)
      O["not_affine_because"] = M.NonAffineReason;
    if (M.ThreadStride)
      O["thread_stride"] = K.Symbols.str(*M.ThreadStride);
    Accesses.push_back(std::move(O));
  }
  return Accesses;
}

llvm::json::Array loopsToJson(const Kernel &K, const Describer &D) {
  llvm::json::Array Loops;
  for (const auto &L : K.Loops) {
    llvm::json::Object O{{"line", D.line(L->Statement->getBeginLoc())},
                         {"depth", int64_t(L->Depth)},
                         {"counted", L->Counted},
                         {"innermost", L->IsInnermost},
                         {"barrier", L->HasBarrier},
                         {"early_exit", L->HasEarlyExit}};
    if (L->Counted) {
      O["variable"] = L->Variable->getNameAsString();
      O["lower"] = K.Symbols.str(L->Lower);
      O["upper"] = K.Symbols.str(L->Upper);
      O["step"] = K.Symbols.str(L->StepForm);
    }
    if (L->TripCount)
      O["iterations"] = int64_t(*L->TripCount);
    Loops.push_back(std::move(O));
  }
  return Loops;
}

llvm::json::Array launchesToJson(const Kernel &K, const Describer &D) {
  llvm::json::Array Launches;
  for (const Launch *L : K.Launches)
    Launches.push_back(
        llvm::json::Object{{"file", L->File},
                           {"line", int64_t(L->Line)},
                           {"form", toString(L->Form)},
                           {"grid", D.extents(L->GridExtent, L->Grid)},
                           {"block", D.extents(L->BlockExtent, L->Block)},
                           {"shared", D.source(L->SharedBytes)},
                           {"stream", D.source(L->Stream)},
                           {"in_host_loop", L->HostLoop != nullptr},
                           {"in_macro", L->InMacro}});
  return Launches;
}

template <typename Range> llvm::json::Array namesToJson(const Range &Items) {
  llvm::json::Array Names;
  for (const auto &Item : Items)
    Names.push_back(Item.Name);
  return Names;
}

llvm::json::Object kernelToJson(const Kernel &K, const ProgramAnalysis &A) {
  Describer D(K, A);
  llvm::json::Array Parameters, Barriers, Shared, Local;
  for (const KernelParameter &P : K.Parameters) {
    llvm::json::Object O{{"name", P.Decl->getNameAsString()},
                         {"type", P.Decl->getType().getAsString()}};
    if (P.IsPointer) {
      O["use"] = D.use(P);
      O["restrict"] = P.Restrict;
    }
    Parameters.push_back(std::move(O));
  }
  for (const Barrier &B : K.Barriers)
    Barriers.push_back(
        llvm::json::Object{{"line", D.line(B.Call->getBeginLoc())},
                           {"kind", toString(B.Kind)},
                           {"conditional", B.Conditional}});
  for (const ArrayVariable &V : K.SharedArrays)
    Shared.push_back(D.array(V));
  for (const ArrayVariable &V : K.LocalArrays)
    Local.push_back(D.array(V));
  llvm::json::Array Unknown;
  for (const std::string &Name : K.UnknownCalls)
    Unknown.push_back(Name);
  return llvm::json::Object{{"name", K.Name},
                            {"display_name", K.DisplayName},
                            {"mangled_name", K.MangledName},
                            {"file", K.File},
                            {"line", int64_t(K.Line)},
                            {"template", K.IsTemplate},
                            {"editable", K.Editable},
                            {"early_return", K.HasEarlyReturn},
                            {"inline_asm", K.HasAsm},
                            {"parameters", std::move(Parameters)},
                            {"loops", loopsToJson(K, D)},
                            {"accesses", accessesToJson(K, D)},
                            {"barriers", std::move(Barriers)},
                            {"shared_arrays", std::move(Shared)},
                            {"local_arrays", std::move(Local)},
                            {"warp_operations", namesToJson(K.WarpOperations)},
                            {"maths", namesToJson(K.MathCalls)},
                            {"atomics", namesToJson(K.Atomics)},
                            {"unknown_calls", std::move(Unknown)},
                            {"launches", launchesToJson(K, D)}};
}

} // namespace

void printKernels(const ProgramAnalysis &A, llvm::raw_ostream &OS) {
  for (const auto &K : A.kernels()) {
    Describer D(*K, A);
    OS << "kernel " << K->DisplayName << " ("
       << llvm::sys::path::filename(K->File) << ":" << K->Line << ")";
    if (!K->Editable)
      OS << ", not editable";
    OS << "\n";
    printParameters(*K, D, OS);
    printBody(*K, D, OS);
    printLaunches(*K, D, OS);
  }
  for (const auto &L : A.launches())
    if (!L->Callee)
      OS << "launch of a kernel that cannot be named at "
         << llvm::sys::path::filename(L->File) << ":" << L->Line << "\n";
}

llvm::json::Value kernelsToJson(const ProgramAnalysis &A) {
  llvm::json::Array Kernels;
  for (const auto &K : A.kernels())
    Kernels.push_back(kernelToJson(*K, A));
  return llvm::json::Object{{"file", A.program().file()},
                            {"kernels", std::move(Kernels)}};
}

} // namespace cudal1
