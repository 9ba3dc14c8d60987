//===- ElementType.h - What the elements of a buffer are --------*- C++ -*-===//
///
/// \file
/// A device buffer is bytes; how two buffers may differ depends on what the
/// bytes mean. Analysis knows from the kernels' parameter types and hands the
/// knowledge over in these plain tables.
///
//===----------------------------------------------------------------------===//

#ifndef CUDAL1_MEASURE_ELEMENTTYPE_H
#define CUDAL1_MEASURE_ELEMENTTYPE_H

#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringRef.h"
#include <cstddef>
#include <optional>
#include <vector>

namespace cudal1 {

/// The type of one scalar in a buffer.
enum class ElementType {
  Bytes,     ///< one byte, compared exactly (unknown types, `char`, `bool`)
  Padding,   ///< one byte, never compared
  Integer16, ///< integers are compared exactly; the width is for messages
  Integer32,
  Integer64,
  Half,     ///< IEEE binary16
  BFloat16, ///< bfloat16
  Float,    ///< IEEE binary32
  Double,   ///< IEEE binary64
  /// A double whose value was computed in float: compared as one.
  FloatInDouble,
};

/// Size in bytes.
size_t sizeOf(ElementType Type);

/// True for Half, BFloat16, Float, Double and FloatInDouble.
bool isFloatingPoint(ElementType Type);

/// How the bits are to be read: Double for FloatInDouble, else Type itself.
ElementType formatOf(ElementType Type);

/// `float`, `double` (for FloatInDouble, too), `half`, `bfloat16`, `int16`,
/// `int32`, `int64`, `bytes`, `padding`.
llvm::StringRef toString(ElementType Type);

/// The scalars of one array element, in memory order and without gaps: {Float}
/// for `float *`, {Float × 4} or {Float} for `float4 *`, {Float, Integer32} for
/// a pointer to `struct { float W; int Id; }`. Empty means unknown.
using ElementLayout = std::vector<ElementType>;

/// Per kernel (by mangled name), the pointee layout of each parameter, in
/// order. A parameter that is no pointer, or whose pointee is not known, has an
/// empty layout.
using KernelParameterTable = llvm::StringMap<std::vector<ElementLayout>>;

/// Per kernel (by mangled name), for each parameter: true if the memory behind
/// it is written and never read.
using WriteOnlyTable = llvm::StringMap<std::vector<bool>>;

/// A pointer within an argument: a member of a structure passed by value, or
/// what a lambda has captured.
struct PointerMember {
  unsigned Parameter = 0; ///< index
  uint64_t Offset = 0;    ///< in the argument, bytes
  ElementLayout Layout;   ///< of what it points to
};
/// By a kernel's mangled name.
using PointerMemberTable = llvm::StringMap<std::vector<PointerMember>>;

} // namespace cudal1

#endif // CUDAL1_MEASURE_ELEMENTTYPE_H
