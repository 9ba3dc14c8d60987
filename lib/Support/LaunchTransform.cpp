//===- LaunchTransform.cpp - New launch geometry from the old one ---------===//

#include "cudal1/Support/LaunchTransform.h"
#include <cassert>

namespace cudal1 {

static const char *const AxisNames[] = {"x", "y", "z"};

ExtentExpr ExtentExpr::constant(uint64_t Value) {
  ExtentExpr E;
  E.K = Kind::Constant;
  E.Value = Value;
  return E;
}

ExtentExpr ExtentExpr::oldGrid(unsigned Axis) {
  assert(Axis < 3 && "an axis is 0, 1 or 2");
  ExtentExpr E;
  E.K = Kind::OldGrid;
  E.Value = Axis;
  return E;
}

ExtentExpr ExtentExpr::oldBlock(unsigned Axis) {
  assert(Axis < 3 && "an axis is 0, 1 or 2");
  ExtentExpr E;
  E.K = Kind::OldBlock;
  E.Value = Axis;
  return E;
}

ExtentExpr ExtentExpr::oldShared() {
  ExtentExpr E;
  E.K = Kind::OldShared;
  return E;
}

ExtentExpr ExtentExpr::binary(Kind K, ExtentExpr A, ExtentExpr B) {
  ExtentExpr E;
  E.K = K;
  E.A = std::make_shared<const ExtentExpr>(std::move(A));
  E.B = std::make_shared<const ExtentExpr>(std::move(B));
  return E;
}

ExtentExpr ExtentExpr::add(ExtentExpr A, ExtentExpr B) {
  return binary(Kind::Add, std::move(A), std::move(B));
}

ExtentExpr ExtentExpr::mul(ExtentExpr A, ExtentExpr B) {
  return binary(Kind::Mul, std::move(A), std::move(B));
}

ExtentExpr ExtentExpr::ceilDiv(ExtentExpr A, ExtentExpr B) {
  return binary(Kind::CeilDiv, std::move(A), std::move(B));
}

uint64_t ExtentExpr::evaluate(const LaunchShape &Old) const {
  switch (K) {
  case Kind::Constant:
    return Value;
  case Kind::OldGrid:
    return Old.Grid[Value];
  case Kind::OldBlock:
    return Old.Block[Value];
  case Kind::OldShared:
    return Old.SharedBytes;
  case Kind::Add:
    return A->evaluate(Old) + B->evaluate(Old);
  case Kind::Mul:
    return A->evaluate(Old) * B->evaluate(Old);
  case Kind::CeilDiv: {
    uint64_t Divisor = B->evaluate(Old);
    return Divisor ? (A->evaluate(Old) + Divisor - 1) / Divisor : 0;
  }
  }
  return 0;
}

std::string ExtentExpr::str() const {
  switch (K) {
  case Kind::Constant:
    return std::to_string(Value);
  case Kind::OldGrid:
    return std::string("grid.") + AxisNames[Value];
  case Kind::OldBlock:
    return std::string("block.") + AxisNames[Value];
  case Kind::OldShared:
    return "shared";
  case Kind::Add:
    return "(" + A->str() + " + " + B->str() + ")";
  case Kind::Mul:
    return A->str() + " * " + B->str();
  case Kind::CeilDiv: {
    bool Plain = B->K != Kind::Mul && B->K != Kind::CeilDiv;
    std::string Divisor = Plain ? B->str() : "(" + B->str() + ")";
    return "ceil(" + A->str() + " / " + Divisor + ")";
  }
  }
  return {};
}

LaunchTransform LaunchTransform::identity() {
  LaunchTransform T;
  for (unsigned Axis = 0; Axis != 3; ++Axis) {
    T.Grid[Axis] = ExtentExpr::oldGrid(Axis);
    T.Block[Axis] = ExtentExpr::oldBlock(Axis);
  }
  T.SharedBytes = ExtentExpr::oldShared();
  return T;
}

LaunchShape LaunchTransform::apply(const LaunchShape &Old) const {
  LaunchShape New;
  for (unsigned Axis = 0; Axis != 3; ++Axis) {
    New.Grid[Axis] = Grid[Axis].evaluate(Old);
    New.Block[Axis] = Block[Axis].evaluate(Old);
  }
  New.SharedBytes = SharedBytes.evaluate(Old);
  return New;
}

std::string LaunchTransform::str() const {
  auto Triple = [](const std::array<ExtentExpr, 3> &E) {
    return "(" + E[0].str() + ", " + E[1].str() + ", " + E[2].str() + ")";
  };
  return "grid " + Triple(Grid) + ", block " + Triple(Block) + ", shared " +
         SharedBytes.str();
}

} // namespace cudal1
