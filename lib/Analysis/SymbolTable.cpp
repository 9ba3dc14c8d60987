//===- SymbolTable.cpp - What an index is made of -------------------------===//

#include "cudal1/Analysis/SymbolTable.h"

#include "clang/AST/ASTContext.h"
#include "clang/AST/PrettyPrinter.h"

using namespace clang;

namespace cudal1 {

static bool isBuiltin(SymbolKind Kind) { return Kind <= SymbolKind::GridDim; }

// The built-in variables come first, in the order in which people write them,
// so that every index of every kernel prints alike.
SymbolTable::SymbolTable() {
  for (SymbolKind Kind : {SymbolKind::BlockIdx, SymbolKind::BlockDim,
                          SymbolKind::GridDim, SymbolKind::ThreadIdx})
    for (unsigned Axis : {2, 1, 0}) {
      Symbol S;
      S.Kind = Kind;
      S.Axis = Axis;
      add(S);
    }
}

SymbolId SymbolTable::builtin(SymbolKind Kind, unsigned Axis) const {
  for (SymbolId Id = 0; Id < Symbols.size(); ++Id)
    if (Symbols[Id].Kind == Kind && Symbols[Id].Axis == Axis)
      return Id;
  llvm_unreachable("every built-in variable has a symbol");
}

SymbolId SymbolTable::add(Symbol S) {
  Symbols.push_back(std::move(S));
  Profiles.emplace_back();
  return Symbols.size() - 1;
}

std::optional<SymbolId> SymbolTable::findVariable(const VarDecl *Decl) const {
  for (SymbolId Id = 0; Id < Symbols.size(); ++Id)
    if (Symbols[Id].Decl == Decl)
      return Id;
  return std::nullopt;
}

SymbolId SymbolTable::variable(SymbolKind Kind, const VarDecl *Decl,
                               std::vector<SymbolId> DependsOn) {
  for (SymbolId Id = 0; Id < Symbols.size(); ++Id)
    if (Symbols[Id].Decl == Decl && Symbols[Id].Kind == Kind)
      return Id;
  Symbol S;
  S.Kind = Kind;
  S.Decl = Decl;
  S.DependsOn = std::move(DependsOn);
  return add(S);
}

SymbolId SymbolTable::expression(SymbolKind Kind, const Expr *Origin,
                                 std::vector<SymbolId> DependsOn, bool Volatile,
                                 const ASTContext &Context) {
  llvm::FoldingSetNodeID Profile;
  Origin = Origin->IgnoreParens();
  Origin->Profile(Profile, Context, /*Canonical=*/true);
  // The profile of an implicit conversion does not hold its type.
  Profile.AddPointer(
      Context.getCanonicalType(Origin->getType()).getAsOpaquePtr());
  for (SymbolId Id = 0; Id < Symbols.size(); ++Id)
    if (Symbols[Id].Origin && Symbols[Id].Kind == Kind &&
        Profiles[Id] == Profile)
      return Id;
  Symbol S;
  S.Kind = Kind;
  S.Origin = Origin;
  S.DependsOn = std::move(DependsOn);
  S.Volatile = Volatile;
  SymbolId Id = add(S);
  Profiles[Id] = Profile;
  return Id;
}

bool SymbolTable::dependsOn(SymbolId S, SymbolId Id) const {
  if (S == Id)
    return true;
  for (SymbolId D : Symbols[S].DependsOn)
    if (dependsOn(D, Id))
      return true;
  return false;
}

std::string SymbolTable::name(SymbolId Id) const {
  const Symbol &S = Symbols[Id];
  static const char *const Axes[] = {".x", ".y", ".z"};
  static const char *const Builtins[] = {"threadIdx", "blockIdx", "blockDim",
                                         "gridDim"};
  if (isBuiltin(S.Kind))
    return std::string(Builtins[unsigned(S.Kind)]) + Axes[S.Axis];
  if (S.Decl)
    return S.Decl->getNameAsString();
  std::string Text;
  llvm::raw_string_ostream OS(Text);
  PrintingPolicy Policy{LangOptions()};
  Policy.Bool = true;
  const auto *Cast = dyn_cast<ImplicitCastExpr>(S.Origin);
  if (Cast && Cast->getCastKind() == CK_IntegralCast)
    OS << "(" << Cast->getType().getAsString(Policy) << ")";
  S.Origin->printPretty(OS, nullptr, Policy);
  if (S.Kind == SymbolKind::Load)
    return Text;
  return "(" + Text + ")";
}

std::string SymbolTable::str(const Polynomial &P) const {
  return P.str([this](SymbolId Id) { return name(Id); });
}

} // namespace cudal1
