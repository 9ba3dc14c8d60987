//===- PtxJit.h - Runs translated inline PTX --------------------*- C++ -*-===//

#ifndef CUDAL1_UNITTESTS_EMULATOR_PTXJIT_H
#define CUDAL1_UNITTESTS_EMULATOR_PTXJIT_H

#include "../../runtime/emulator/Abi.h"
#include "llvm/ExecutionEngine/Orc/LLJIT.h"
#include <memory>
#include <string>

namespace cudal1::test {

/// The thread that translated code believes to run on.
extern emulator::ThreadState Thread;
/// What the stand-ins for the runtime were called with, in order.
extern std::string Calls;

/// LLVM's spelling of a C++ type.
template <typename T> constexpr const char *irType() {
  if constexpr (std::is_void_v<T>)
    return "void";
  else if constexpr (std::is_pointer_v<T>)
    return "ptr";
  else if constexpr (std::is_same_v<T, float>)
    return "float";
  else if constexpr (std::is_same_v<T, double>)
    return "double";
  else
    return sizeof(T) == 1   ? "i8"
           : sizeof(T) == 2 ? "i16"
           : sizeof(T) == 4 ? "i32"
                            : "i64";
}

/// A module whose asm calls are translated, compiled for this machine.
class PtxModule {
public:
  /// \p Ir is LLVM's assembly. Faults of the translation fail the test.
  explicit PtxModule(const std::string &Ir);
  void *address(const std::string &Function);

private:
  std::unique_ptr<llvm::orc::LLJIT> Jit;
};

/// A function around one asm statement with one result or none.
template <typename Result, typename... Arguments> class PtxFunction {
public:
  PtxFunction(const std::string &Text, const std::string &Constraints)
      : Module(source(Text, Constraints)),
        Address(
            reinterpret_cast<Result (*)(Arguments...)>(Module.address("f"))) {}

  Result operator()(Arguments... A) const { return Address(A...); }

private:
  PtxModule Module;
  Result (*Address)(Arguments...);

  static std::string source(const std::string &Text,
                            const std::string &Constraints) {
    std::string Parameters;
    int Index = 0;
    ((Parameters += std::string(Index ? ", " : "") + irType<Arguments>() +
                    " %a" + std::to_string(Index),
      ++Index),
     ...);
    std::string R = irType<Result>();
    bool IsVoid = std::is_void_v<Result>;
    return "define " + R + " @f(" + Parameters + ") {\n" +
           (IsVoid ? "" : "%r = ") + "call " + R + " asm sideeffect \"" + Text +
           "\", \"" + Constraints + "\"(" + Parameters + ")\nret " + R +
           (IsVoid ? "" : " %r") + "\n}\n";
  }
};

/// The message of the Error that the translation of \p Text gives, or "". In
/// the error case the call must be left as it was.
std::string translationError(const std::string &Text,
                             const std::string &Constraints = "");

} // namespace cudal1::test

#endif // CUDAL1_UNITTESTS_EMULATOR_PTXJIT_H
