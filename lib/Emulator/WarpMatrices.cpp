//===- WarpMatrices.cpp - Matrix operations of a warp ---------------------===//
//
// What <mma.h> makes of load_matrix_sync, mma_sync and store_matrix_sync. Loads
// and stores become plain accesses of each lane, so that they are checked like
// any other; products are a call of the runtime, where the lanes meet.
//
//===----------------------------------------------------------------------===//

#include "WarpMatrices.h"
#include "../../runtime/emulator/Abi.h"
#include "llvm/ADT/StringSwitch.h"

using namespace llvm;

namespace cudal1 {

namespace {

constexpr unsigned Lanes = 32;

enum class ElementKind { Half, Bfloat, Tf32, Float, Double };

/// Extent of a product, and of the matrix that a fragment holds part of.
struct Geometry {
  unsigned M = 0, N = 0, K = 0;

  unsigned rows(char Matrix) const { return Matrix == 'b' ? K : M; }
  unsigned columns(char Matrix) const { return Matrix == 'a' ? K : N; }
  /// Elements of one lane.
  unsigned share(char Matrix) const {
    return rows(Matrix) * columns(Matrix) / Lanes;
  }
};

class MatrixLowering {
public:
  MatrixLowering(RuntimeInterface &Runtime, CallInst &Call)
      : Runtime(Runtime), Call(Call), B(&Call) {}

  bool lower(StringRef Name, Value *&Result);

private:
  bool parse(StringRef Shape);
  Value *load(char Matrix, bool ByRows, ElementKind Kind);
  void store(bool ByRows, ElementKind Kind);
  Value *multiply(ElementKind Factor, ElementKind Result, ElementKind Addend);
  Type *memoryType(ElementKind Kind) const;
  Value *address(char Matrix, bool ByRows, ElementKind Kind, unsigned Slot);
  std::vector<Value *> elements(unsigned &Operand, char Matrix,
                                ElementKind Kind);
  Value *fragment(Type *T, ArrayRef<Value *> Elements);
  Value *wide(Value *Element, ElementKind Kind);
  Value *narrow(Value *Wide, ElementKind Kind);

  RuntimeInterface &Runtime;
  CallInst &Call;
  IRBuilder<> B;
  Geometry Shape;
  Value *Lane = nullptr;
  /// Elements from one row or column in memory to the next.
  Value *Stride = nullptr;
};

} // namespace

static std::optional<ElementKind> elementKind(StringRef Name) {
  return StringSwitch<std::optional<ElementKind>>(Name)
      .Case("f16", ElementKind::Half)
      .Case("bf16", ElementKind::Bfloat)
      .Case("tf32", ElementKind::Tf32)
      .Case("f32", ElementKind::Float)
      .Case("f64", ElementKind::Double)
      .Default(std::nullopt);
}

/// `m16n16k8`
bool MatrixLowering::parse(StringRef Name) {
  return Name.consume_front("m") && !Name.consumeInteger(10, Shape.M) &&
         Name.consume_front("n") && !Name.consumeInteger(10, Shape.N) &&
         Name.consume_front("k") && !Name.consumeInteger(10, Shape.K) &&
         Name.empty() && Shape.share('a') && Shape.share('b');
}

Type *MatrixLowering::memoryType(ElementKind Kind) const {
  LLVMContext &Context = Call.getContext();
  switch (Kind) {
  case ElementKind::Half:
    return Type::getHalfTy(Context);
  case ElementKind::Bfloat:
    return Type::getInt16Ty(Context);
  case ElementKind::Tf32:
    return Type::getInt32Ty(Context);
  case ElementKind::Float:
    return Type::getFloatTy(Context);
  case ElementKind::Double:
    return Type::getDoubleTy(Context);
  }
  llvm_unreachable("all kinds are listed");
}

/// Where element \p Slot of this lane lies.
Value *MatrixLowering::address(char Matrix, bool ByRows, ElementKind Kind,
                               unsigned Slot) {
  unsigned Columns = Shape.columns(Matrix);
  Value *Element = B.CreateAdd(Lane, B.getInt32(Slot * Lanes));
  Value *Row = B.CreateUDiv(Element, B.getInt32(Columns));
  Value *Column = B.CreateURem(Element, B.getInt32(Columns));
  if (!ByRows)
    std::swap(Row, Column);
  Value *Offset =
      B.CreateAdd(B.CreateMul(B.CreateZExt(Row, B.getInt64Ty()), Stride),
                  B.CreateZExt(Column, B.getInt64Ty()));
  return B.CreateGEP(memoryType(Kind), Call.getArgOperand(0), Offset);
}

/// A fragment of type \p T: one element, or a struct of registers that hold
/// one or two.
Value *MatrixLowering::fragment(Type *T, ArrayRef<Value *> Elements) {
  auto *Registers = dyn_cast<StructType>(T);
  if (!Registers)
    return Elements.front();
  Value *Result = PoisonValue::get(T);
  unsigned Slot = 0;
  auto Next = [&] { return Elements[Slot++ % Elements.size()]; };
  for (unsigned I = 0; I < Registers->getNumElements(); ++I) {
    Type *Register = Registers->getElementType(I);
    Value *V = nullptr;
    if (Register->isVectorTy()) {
      V = B.CreateInsertElement(PoisonValue::get(Register), Next(),
                                uint64_t(0));
      V = B.CreateInsertElement(V, Next(), uint64_t(1));
    } else if (Elements.front()->getType()->isIntegerTy(16)) {
      Value *Low = B.CreateZExt(Next(), B.getInt32Ty());
      Value *High = B.CreateShl(B.CreateZExt(Next(), B.getInt32Ty()), 16);
      V = B.CreateOr(Low, High);
    } else {
      V = Next();
    }
    Result = B.CreateInsertValue(Result, V, I);
  }
  return Result;
}

/// The elements of a fragment of the lane's own share, each once. \p Operand
/// moves past the fragment's registers.
std::vector<Value *> MatrixLowering::elements(unsigned &Operand, char Matrix,
                                              ElementKind Kind) {
  unsigned Share = Shape.share(Matrix);
  unsigned PerRegister =
      Kind == ElementKind::Half || Kind == ElementKind::Bfloat ? 2 : 1;
  // <mma.h> has 16 halves in each factor's fragment, whatever its shape.
  unsigned Places = Share;
  if (Kind == ElementKind::Half && Matrix != 'c')
    Places = std::max(Places, 16u);
  std::vector<Value *> Result;
  for (unsigned I = 0; I < Places / PerRegister; ++I) {
    Value *V = Call.getArgOperand(Operand++);
    if (Kind == ElementKind::Half) {
      Result.push_back(B.CreateExtractElement(V, uint64_t(0)));
      Result.push_back(B.CreateExtractElement(V, uint64_t(1)));
    } else if (Kind == ElementKind::Bfloat) {
      Result.push_back(B.CreateTrunc(V, B.getInt16Ty()));
      Result.push_back(B.CreateTrunc(B.CreateLShr(V, 16), B.getInt16Ty()));
    } else {
      Result.push_back(V);
    }
  }
  Result.resize(Share);
  return Result;
}

Value *MatrixLowering::load(char Matrix, bool ByRows, ElementKind Kind) {
  std::vector<Value *> Elements;
  for (unsigned Slot = 0; Slot < Shape.share(Matrix); ++Slot)
    Elements.push_back(
        B.CreateLoad(memoryType(Kind), address(Matrix, ByRows, Kind, Slot)));
  return fragment(Call.getType(), Elements);
}

void MatrixLowering::store(bool ByRows, ElementKind Kind) {
  unsigned Operand = 1;
  std::vector<Value *> Elements = elements(Operand, 'c', Kind);
  for (unsigned Slot = 0; Slot < Elements.size(); ++Slot)
    B.CreateStore(Elements[Slot], address('c', ByRows, Kind, Slot));
}

/// An element as a double. Of a tf32 the lower 13 bits do not count.
Value *MatrixLowering::wide(Value *Element, ElementKind Kind) {
  if (Kind == ElementKind::Bfloat)
    Element = B.CreateBitCast(
        B.CreateShl(B.CreateZExt(Element, B.getInt32Ty()), 16), B.getFloatTy());
  if (Kind == ElementKind::Tf32)
    Element = B.CreateBitCast(B.CreateAnd(Element, B.getInt32(0xffffe000)),
                              B.getFloatTy());
  if (Kind == ElementKind::Half)
    Element = B.CreateFPExt(Element, B.getFloatTy());
  return Kind == ElementKind::Double ? Element
                                     : B.CreateFPExt(Element, B.getDoubleTy());
}

/// A result, which the runtime has rounded, in its own type.
Value *MatrixLowering::narrow(Value *Wide, ElementKind Kind) {
  if (Kind == ElementKind::Double)
    return Wide;
  Value *Single = B.CreateFPTrunc(Wide, B.getFloatTy());
  return Kind == ElementKind::Half ? B.CreateFPTrunc(Single, B.getHalfTy())
                                   : Single;
}

Value *MatrixLowering::multiply(ElementKind Factor, ElementKind Result,
                                ElementKind Addend) {
  unsigned Operand = 0;
  std::vector<Value *> Registers;
  for (auto [Matrix, Kind] :
       {std::pair('a', Factor), std::pair('b', Factor), std::pair('c', Addend)})
    for (Value *V : elements(Operand, Matrix, Kind))
      Registers.push_back(wide(V, Kind));
  auto *Type = ArrayType::get(B.getDoubleTy(), Registers.size());
  BasicBlock &Entry = Call.getFunction()->getEntryBlock();
  auto *Place =
      new AllocaInst(Type, 0, "matrices", Entry.getFirstNonPHIOrDbg());
  auto Address = [&](size_t I) {
    return B.CreateConstInBoundsGEP2_64(Type, Place, 0, I);
  };
  for (auto [I, V] : enumerate(Registers))
    B.CreateStore(V, Address(I));
  Runtime.storeSite(B, Runtime.site(Call));
  bool InDouble = Result == ElementKind::Double;
  B.CreateCall(
      Runtime.function("cudal1_nvvm_wmma_mma", Runtime.voidType(),
                       {Runtime.int32(), Runtime.int32(), Runtime.pointer()}),
      {B.getInt32(Shape.M | Shape.N << 8 | Shape.K << 16), B.getInt32(InDouble),
       Place});
  std::vector<Value *> Sums;
  size_t First = Registers.size() - Shape.share('c');
  for (size_t I = First; I < Registers.size(); ++I)
    Sums.push_back(narrow(B.CreateLoad(B.getDoubleTy(), Address(I)), Result));
  return fragment(Call.getType(), Sums);
}

bool MatrixLowering::lower(StringRef Name, Value *&Result) {
  SmallVector<StringRef, 8> Parts;
  Name.split(Parts, '.');
  if (Parts.size() < 4 || !parse(Parts[0]))
    return false;
  Result = nullptr;
  using emulator::ThreadState;
  Lane = Runtime.threadField(B, offsetof(ThreadState, Lane), Runtime.int32(),
                             "lane");
  if (Parts[1] == "mma") {
    // ROWS.COLUMNS.TYPE, or of RESULT.ADDEND for factors of 16 bits.
    auto First = Parts.size() > 4 ? elementKind(Parts[4]) : std::nullopt;
    if (!First || Parts.size() > 6)
      return false;
    if (Parts.size() == 6) {
      auto Second = elementKind(Parts[5]);
      if (!Second)
        return false;
      Result = multiply(ElementKind::Half, *First, *Second);
      return true;
    }
    ElementKind Sum = *First == ElementKind::Double ? ElementKind::Double
                                                    : ElementKind::Float;
    Result = multiply(*First, Sum, Sum);
    return true;
  }
  // load.MATRIX.ORDER[.stride].TYPE.ADDRESS-SPACE
  bool Strided = Parts.size() == 7 && Parts[4] == "stride";
  if (!Strided && Parts.size() != 6)
    return false;
  auto Kind = elementKind(Parts[Strided ? 5 : 4]);
  char Matrix = Parts[2].size() == 1 ? Parts[2][0] : ' ';
  bool ByRows = Parts[3] == "row";
  if (!Kind || !StringRef("abcd").contains(Matrix) ||
      (!ByRows && Parts[3] != "col"))
    return false;
  Matrix = Matrix == 'd' ? 'c' : Matrix;
  Stride = B.getInt64(ByRows ? Shape.columns(Matrix) : Shape.rows(Matrix));
  if (Strided)
    Stride =
        B.CreateZExt(Call.getArgOperand(Call.arg_size() - 1), B.getInt64Ty());
  if (Parts[1] == "load") {
    Result = load(Matrix, ByRows, *Kind);
    return true;
  }
  if (Parts[1] != "store")
    return false;
  store(ByRows, *Kind);
  return true;
}

bool lowerWarpMatrix(RuntimeInterface &Runtime, StringRef Name, CallInst &Call,
                     Value *&Result) {
  return MatrixLowering(Runtime, Call).lower(Name, Result);
}

} // namespace cudal1
