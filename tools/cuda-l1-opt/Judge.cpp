//===- Judge.cpp - Measure versions that the user wrote -------------------===//

#include "Judge.h"
#include "Engines.h"
#include "cudal1/Report/UnifiedDiff.h"
#include "cudal1/Support/TemporaryFolder.h"
#include "clang/AST/Attr.h"
#include "clang/AST/RecursiveASTVisitor.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"

using namespace cudal1;
namespace fs = llvm::sys::fs;
namespace path = llvm::sys::path;

/// The files that --judge names, folders by their sources in order.
static llvm::Expected<std::vector<std::string>>
listVersions(llvm::ArrayRef<std::string> Named) {
  std::vector<std::string> Files;
  for (const std::string &Name : Named) {
    if (!fs::is_directory(Name)) {
      Files.push_back(Name);
      continue;
    }
    std::vector<std::string> Inside;
    std::error_code Code;
    for (fs::directory_iterator I(Name, Code), End; I != End && !Code;
         I.increment(Code))
      if (path::extension(I->path()) == ".cu")
        Inside.push_back(I->path());
    if (Code)
      return llvm::createStringError(Code, "cannot read the folder '" + Name +
                                               "': " + Code.message());
    llvm::sort(Inside);
    Files.insert(Files.end(), Inside.begin(), Inside.end());
  }
  if (Files.empty())
    return llvm::createStringError("--judge: there is no .cu file in '" +
                                   Named.front() + "'");
  return Files;
}

namespace {

/// The lines of one function that runs on the GPU only.
struct DeviceLines {
  unsigned First, Last;
};

class DeviceFunctionFinder
    : public clang::RecursiveASTVisitor<DeviceFunctionFinder> {
public:
  DeviceFunctionFinder(const clang::SourceManager &SM) : SM(SM) {}

  bool VisitFunctionDecl(clang::FunctionDecl *F) {
    bool OnDevice = F->hasAttr<clang::CUDAGlobalAttr>() ||
                    (F->hasAttr<clang::CUDADeviceAttr>() &&
                     !F->hasAttr<clang::CUDAHostAttr>());
    clang::SourceLocation Begin = SM.getExpansionLoc(F->getOuterLocStart());
    if (OnDevice && SM.isInMainFile(Begin))
      Found.push_back({SM.getExpansionLineNumber(Begin),
                       SM.getExpansionLineNumber(F->getEndLoc())});
    return true;
  }

  std::vector<DeviceLines> Found;

private:
  const clang::SourceManager &SM;
};

} // namespace

/// Blank, a comment of its own, or an include: the host does not mind it.
static bool isHarmless(llvm::StringRef Line) {
  Line = Line.trim();
  return Line.empty() || Line.starts_with("//") || Line.starts_with("#include");
}

/// True if the texts differ outside of \p Functions, so that the host may do
/// something else.
static bool changesHostCode(llvm::ArrayRef<DeviceLines> Functions,
                            llvm::StringRef Before, llvm::StringRef After) {
  return llvm::any_of(changedLines(Before, After), [&](const LineChange &C) {
    bool Inside = llvm::any_of(Functions, [&](const DeviceLines &F) {
      // An insertion before the first line is outside.
      size_t First = C.OldFirst - (C.OldCount == 0);
      return First >= F.First && C.OldFirst + C.OldCount <= F.Last + 1;
    });
    return !Inside &&
           !(C.OldCount == 0 && llvm::all_of(C.NewLines, isHarmless));
  });
}

static std::vector<DeviceLines> deviceLinesOf(const Program &P) {
  clang::ASTUnit &Ast = P.ast(Side::Device);
  DeviceFunctionFinder Finder(Ast.getSourceManager());
  for (clang::Decl *D :
       llvm::make_range(Ast.top_level_begin(), Ast.top_level_end()))
    Finder.TraverseDecl(D);
  return std::move(Finder.Found);
}

static llvm::Expected<std::vector<Candidate>>
readVersions(const Setup &S, const Settings &Chosen, const CompileUnit &Unit,
             const RewriteSession &Session) {
  llvm::Expected<std::vector<std::string>> Files = listVersions(S.Line.Judged);
  if (!Files)
    return Files.takeError();
  std::vector<DeviceLines> Device = deviceLinesOf(Session.program());
  llvm::StringRef Original = Session.program().text();
  std::vector<Candidate> Versions;
  for (const std::string &File : *Files) {
    auto Text = llvm::MemoryBuffer::getFile(File, /*IsText=*/true);
    if (!Text)
      return llvm::createStringError(Text.getError(),
                                     "cannot read '" + File +
                                         "': " + Text.getError().message());
    Candidate C;
    C.Id = path::filename(File).str();
    C.Sources.push_back({Unit.File, (*Text)->getBuffer().str()});
    C.ChangesHostCode =
        changesHostCode(Device, Original, C.Sources.front().Text);
    C.Class = Chosen.Weakest.value_or(FpClass::Reassociate);
    Versions.push_back(std::move(C));
  }
  return Versions;
}

llvm::Error cudal1::judgeVersions(const Setup &S, const Settings &Chosen,
                                  const CompileUnit &Unit,
                                  RewriteSession &Session, UnitReport &Report) {
  llvm::Expected<std::vector<Candidate>> Versions =
      readVersions(S, Chosen, Unit, Session);
  if (!Versions)
    return Versions.takeError();
  llvm::Expected<TemporaryFolder> Folder =
      TemporaryFolder::make(S.Line.WorkDir);
  if (!Folder)
    return Folder.takeError();
  std::unique_ptr<MeasureEngine> Engine =
      makeEngine(S, Chosen, Unit, Session.analysis(), Folder->path());
  llvm::Expected<Baseline> B = Engine->prepare();
  if (!B)
    return B.takeError();
  Report.Engine = B->Engine;
  Report.Original = B->Times;
  for (const auto *Sentences : {&B->NonDeterminism, &B->Notes})
    Report.Messages.insert(Report.Messages.end(), Sentences->begin(),
                           Sentences->end());
  Report.Kernels = compareKernels(B->Times, std::nullopt);

  auto Start = std::chrono::steady_clock::now();
  Engine->compileAhead(*Versions);
  std::vector<Measurement> Results = Engine->measureAll(*Versions);
  std::chrono::duration<double> Took = std::chrono::steady_clock::now() - Start;
  for (size_t I = 0; I < Results.size(); ++I) {
    const Measurement &M = Results[I];
    VariantReport V;
    V.Rewrites = {(*Versions)[I].Id};
    V.Engine = M.Engine;
    V.Outcome = M.Outcome;
    V.Speedup = M.Speedup;
    V.SpeedupLow = M.SpeedupLow;
    V.SpeedupHigh = M.SpeedupHigh;
    V.Pairs = M.Pairs;
    V.Reason = mainFinding(M).str();
    V.Evidence = M.Evidence;
    Report.Variants.push_back(std::move(V));
  }
  Report.VariantsTried = Results.size();
  Report.SearchSeconds = Took.count();
  Report.Result = UnitResult::Judged;
  return llvm::Error::success();
}
