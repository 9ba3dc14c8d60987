//===- ElementLayouts.cpp - What kernels' pointers point to ---------------===//

#include "cudal1/Search/ElementLayouts.h"
#include "cudal1/Analysis/FloatPrecision.h"
#include "clang/AST/RecordLayout.h"
#include "clang/AST/RecursiveASTVisitor.h"

using namespace cudal1;

/// Scalars in one element; larger structures are compared as bytes.
static constexpr size_t MaxScalars = 256;

/// Appends the layout of \p Type; false when it has none.
static bool append(clang::QualType Type, const clang::ASTContext &Context,
                   ElementLayout &Out);

/// CUDA's half types are structures of one short.
static std::optional<ElementType> knownRecord(const clang::RecordDecl *Record) {
  llvm::StringRef Name = Record->getName();
  if (Name == "__half")
    return ElementType::Half;
  if (Name == "__nv_bfloat16")
    return ElementType::BFloat16;
  return std::nullopt;
}

static std::optional<ElementType> scalarType(clang::QualType Type,
                                             const clang::ASTContext &Context) {
  if (const auto *Builtin = Type->getAs<clang::BuiltinType>()) {
    switch (Builtin->getKind()) {
    case clang::BuiltinType::Float:
      return ElementType::Float;
    case clang::BuiltinType::Double:
      return ElementType::Double;
    case clang::BuiltinType::Half:
    case clang::BuiltinType::Float16:
      return ElementType::Half;
    case clang::BuiltinType::BFloat16:
      return ElementType::BFloat16;
    default:
      break;
    }
  }
  if (!Type->isIntegralOrEnumerationType())
    return std::nullopt;
  switch (Context.getTypeSizeInChars(Type).getQuantity()) {
  case 1:
    return ElementType::Bytes;
  case 2:
    return ElementType::Integer16;
  case 4:
    return ElementType::Integer32;
  case 8:
    return ElementType::Integer64;
  default:
    return std::nullopt;
  }
}

static uint64_t bytesOf(const ElementLayout &Layout) {
  uint64_t Sum = 0;
  for (ElementType Type : Layout)
    Sum += sizeOf(Type);
  return Sum;
}

static bool pad(uint64_t To, uint64_t Begin, ElementLayout &Out) {
  for (uint64_t Have = bytesOf(Out) - Begin; Have < To; ++Have) {
    if (Out.size() >= MaxScalars)
      return false;
    Out.push_back(ElementType::Padding);
  }
  return true;
}

/// Fields in order, with the gaps between them. Bases and bit-fields have no
/// simple order: unknown.
static bool appendRecord(const clang::RecordDecl *Record,
                         const clang::ASTContext &Context, ElementLayout &Out) {
  if (std::optional<ElementType> Known = knownRecord(Record)) {
    Out.push_back(*Known);
    return true;
  }
  Record = Record->getDefinition();
  if (!Record || Record->isUnion() || Record->isInvalidDecl())
    return false;
  if (const auto *Class = llvm::dyn_cast<clang::CXXRecordDecl>(Record))
    if (Class->getNumBases() || Class->isDynamicClass())
      return false;
  const clang::ASTRecordLayout &Layout = Context.getASTRecordLayout(Record);
  uint64_t Begin = bytesOf(Out);
  for (const clang::FieldDecl *Field : Record->fields()) {
    if (Field->isBitField())
      return false;
    uint64_t Offset = Context
                          .toCharUnitsFromBits(int64_t(
                              Layout.getFieldOffset(Field->getFieldIndex())))
                          .getQuantity();
    if (!pad(Offset, Begin, Out) || !append(Field->getType(), Context, Out))
      return false;
  }
  return pad(Layout.getSize().getQuantity(), Begin, Out);
}

static bool append(clang::QualType Type, const clang::ASTContext &Context,
                   ElementLayout &Out) {
  if (Type->isDependentType() || Type->isIncompleteType() ||
      Out.size() >= MaxScalars)
    return false;
  if (const auto *Array = Context.getAsConstantArrayType(Type)) {
    for (uint64_t I = 0; I < Array->getSize().getZExtValue(); ++I)
      if (!append(Array->getElementType(), Context, Out))
        return false;
    return true;
  }
  if (const auto *Complex = Type->getAs<clang::ComplexType>())
    return append(Complex->getElementType(), Context, Out) &&
           append(Complex->getElementType(), Context, Out);
  if (const clang::RecordDecl *Record = Type->getAsRecordDecl())
    return appendRecord(Record, Context, Out);
  std::optional<ElementType> Scalar = scalarType(Type, Context);
  if (!Scalar)
    return false;
  Out.push_back(*Scalar);
  return true;
}

ElementLayout cudal1::layoutOf(clang::QualType Type,
                               const clang::ASTContext &Context) {
  ElementLayout Result;
  if (Type.isNull() || !append(Type.getCanonicalType(), Context, Result))
    return {};
  return Result;
}

namespace {

/// What a pointer to untyped memory is cast to in a kernel.
class CastsOfParameter : public clang::RecursiveASTVisitor<CastsOfParameter> {
public:
  explicit CastsOfParameter(const clang::ParmVarDecl *Parameter)
      : Parameter(Parameter) {}

  bool VisitDeclRefExpr(clang::DeclRefExpr *Use) {
    Uses += Use->getDecl() == Parameter;
    return true;
  }
  bool VisitExplicitCastExpr(clang::ExplicitCastExpr *Cast) {
    const auto *Use = llvm::dyn_cast<clang::DeclRefExpr>(
        Cast->getSubExpr()->IgnoreParenImpCasts());
    if (!Use || Use->getDecl() != Parameter ||
        !Cast->getType()->isPointerType())
      return true;
    ++Casts;
    clang::QualType To = Cast->getType()->getPointeeType().getCanonicalType();
    IsOneType &= Pointee.isNull() || To.getUnqualifiedType() == Pointee;
    Pointee = To.getUnqualifiedType();
    return true;
  }
  /// Null unless every use is a cast to one and the same type: then the kernel
  /// knows no other meaning of the memory.
  clang::QualType onlyType() const {
    return Casts > 0 && Casts == Uses && IsOneType ? Pointee
                                                   : clang::QualType();
  }

private:
  const clang::ParmVarDecl *Parameter;
  unsigned Uses = 0, Casts = 0;
  bool IsOneType = true;
  clang::QualType Pointee;
};

} // namespace

/// Untyped memory is what the kernel takes it for.
static ElementLayout layoutOfParameter(const KernelParameter &P,
                                       const Kernel &K) {
  if (!P.IsPointer)
    return {};
  if (holdsFloatPrecision(K, P))
    return {ElementType::FloatInDouble};
  ElementLayout Declared = layoutOf(P.Pointee, *K.Context);
  bool IsUntyped = Declared.empty() || (Declared.size() == 1 &&
                                        Declared.front() == ElementType::Bytes);
  if (!IsUntyped || !K.Function->hasBody())
    return Declared;
  CastsOfParameter Casts(P.Decl);
  Casts.TraverseStmt(K.Function->getBody());
  ElementLayout Cast = layoutOf(Casts.onlyType(), *K.Context);
  return Cast.empty() ? Declared : Cast;
}

/// Enters \p Value under the names by which the driver may know the kernel.
template <typename T>
static void enter(llvm::StringMap<T> &Table, const Kernel &K, T Value) {
  // nvcc mangles a static kernel like any other.
  llvm::StringRef Name = K.MangledName;
  if (Name.consume_front("_ZL"))
    Table["_Z" + Name.str()] = Value;
  Table[K.MangledName] = std::move(Value);
}

KernelParameterTable cudal1::parameterTableOf(const ProgramAnalysis &A) {
  KernelParameterTable Table;
  for (const std::unique_ptr<Kernel> &K : A.kernels()) {
    std::vector<ElementLayout> Layouts;
    for (const KernelParameter &P : K->Parameters)
      Layouts.push_back(layoutOfParameter(P, *K));
    enter(Table, *K, std::move(Layouts));
  }
  return Table;
}

/// Pointers in a structure of \p Type that lies \p Begin bytes into parameter
/// \p Parameter. Of unions and bit-fields it is not known what they hold.
static void addMembers(clang::QualType Type, const clang::ASTContext &Context,
                       unsigned Parameter, uint64_t Begin,
                       std::vector<PointerMember> &Out) {
  const auto *Record = Type->getAsRecordDecl();
  Record = Record ? Record->getDefinition() : nullptr;
  if (!Record || Record->isUnion() || Record->isInvalidDecl() ||
      Record->isDependentType())
    return;
  const clang::ASTRecordLayout &Layout = Context.getASTRecordLayout(Record);
  if (const auto *Class = llvm::dyn_cast<clang::CXXRecordDecl>(Record))
    for (const clang::CXXBaseSpecifier &Base : Class->bases())
      if (const auto *Of = Base.getType()->getAsCXXRecordDecl();
          Of && !Base.isVirtual())
        addMembers(
            Base.getType(), Context, Parameter,
            Begin + uint64_t(Layout.getBaseClassOffset(Of).getQuantity()), Out);
  for (const clang::FieldDecl *Field : Record->fields()) {
    if (Field->isBitField())
      continue;
    uint64_t At =
        Begin + uint64_t(Context
                             .toCharUnitsFromBits(int64_t(
                                 Layout.getFieldOffset(Field->getFieldIndex())))
                             .getQuantity());
    clang::QualType Of = Field->getType().getCanonicalType();
    if (!Of->isPointerType()) {
      addMembers(Of, Context, Parameter, At, Out);
      continue;
    }
    ElementLayout Pointee = layoutOf(Of->getPointeeType(), Context);
    if (!Pointee.empty())
      Out.push_back({Parameter, At, std::move(Pointee)});
  }
}

PointerMemberTable cudal1::memberTableOf(const ProgramAnalysis &A) {
  PointerMemberTable Table;
  for (const std::unique_ptr<Kernel> &K : A.kernels()) {
    std::vector<PointerMember> Members;
    for (const KernelParameter &P : K->Parameters)
      if (P.Decl && !P.IsPointer)
        addMembers(P.Decl->getType().getCanonicalType(), *K->Context, P.Index,
                   0, Members);
    enter(Table, *K, std::move(Members));
  }
  return Table;
}

WriteOnlyTable cudal1::writeOnlyTableOf(const ProgramAnalysis &A) {
  WriteOnlyTable Table;
  for (const std::unique_ptr<Kernel> &K : A.kernels()) {
    std::vector<bool> WriteOnly;
    for (const KernelParameter &P : K->Parameters)
      WriteOnly.push_back(P.IsPointer && P.Use.Written && !P.Use.Read &&
                          !P.Use.Atomic && !P.Use.Escapes);
    enter(Table, *K, std::move(WriteOnly));
  }
  return Table;
}
