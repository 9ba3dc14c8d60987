//===- DeviceFunctions.cpp - What CUDA's own functions do -----------------===//

#include "cudal1/Analysis/DeviceFunctions.h"

#include "clang/AST/Attr.h"
#include "clang/AST/DeclCXX.h"
#include "clang/Basic/Builtins.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/ADT/StringSwitch.h"

using namespace clang;

namespace cudal1 {

/// Names without the suffix f (float) of <math.h>, CUDA's additions included.
static const llvm::StringSet<> &mathNames() {
  static const llvm::StringSet<> Names = {
      "acos", "acosh", "asin", "asinh", "atan", "atan2", "atanh", "cbrt",
      "ceil", "copysign", "cos", "cosh", "cospi", "erf", "erfc", "erfcinv",
      "erfcx", "erfinv", "exp", "exp10", "exp2", "expm1", "fabs", "fdim",
      "fdivide", "floor", "fma", "fmax", "fmin", "fmod", "hypot", "ilogb", "j0",
      "j1", "jn", "ldexp", "lgamma", "llrint", "llround", "log", "log10",
      "log1p", "log2", "logb", "lrint", "lround", "nearbyint", "nextafter",
      "norm", "norm3d", "norm4d", "normcdf", "normcdfinv", "pow", "powi",
      "rcbrt", "remainder", "rhypot", "rint", "rnorm", "rnorm3d", "rnorm4d",
      "round", "rsqrt", "scalbln", "scalbn", "sin", "sinh", "sinpi", "sqrt",
      "tan", "tanh", "tgamma", "trunc", "y0", "y1", "yn",
      // Intrinsics, as "__" + name + suffix.
      "__cosf", "__sinf", "__tanf", "__expf", "__exp10f", "__logf", "__log2f",
      "__log10f", "__powf", "__fdividef", "__saturatef", "__tanhf"};
  return Names;
}

bool isMathFunction(StringRef Name) {
  if (mathNames().contains(Name))
    return true;
  if (Name.ends_with("f") && mathNames().contains(Name.drop_back()))
    return true;
  // __fmul_rn, __dadd_rz, __frcp_rn, __fsqrt_rn, __fmaf_rn, __ddiv_rn ...
  StringRef Rounding = Name.take_back(3);
  return (Name.starts_with("__f") || Name.starts_with("__d")) &&
         (Rounding == "_rn" || Rounding == "_rz" || Rounding == "_ru" ||
          Rounding == "_rd");
}

static bool isPureName(StringRef Name) {
  static const llvm::StringSet<> Names = {"min",
                                          "max",
                                          "umin",
                                          "umax",
                                          "llmin",
                                          "llmax",
                                          "abs",
                                          "labs",
                                          "llabs",
                                          "isnan",
                                          "isinf",
                                          "isfinite",
                                          "signbit",
                                          "__isnanf",
                                          "__isinff",
                                          "__popc",
                                          "__popcll",
                                          "__clz",
                                          "__clzll",
                                          "__ffs",
                                          "__ffsll",
                                          "__brev",
                                          "__brevll",
                                          "__mul24",
                                          "__umul24",
                                          "__mulhi",
                                          "__umulhi",
                                          "__mul64hi",
                                          "__umul64hi",
                                          "__sad",
                                          "__usad",
                                          "__hadd",
                                          "__rhadd",
                                          "__uhadd",
                                          "__urhadd",
                                          "__byte_perm",
                                          "__funnelshift_l",
                                          "__funnelshift_r",
                                          "__funnelshift_lc",
                                          "__funnelshift_rc",
                                          "__dp4a",
                                          "__dp2a_lo",
                                          "__dp2a_hi",
                                          "__nanf",
                                          "nanf",
                                          "nan",
                                          "__expect",
                                          "__builtin_expect",
                                          "__builtin_assume",
                                          "swap"};
  if (Name == "swap")
    return false;
  if (Names.contains(Name))
    return true;
  // make_float4, __float2int_rn, __int_as_float, __half2float, __vadd4 ...
  return Name.starts_with("make_") || Name.contains("_as_") ||
         ((Name.starts_with("__float2") || Name.starts_with("__double2") ||
           Name.starts_with("__int2") || Name.starts_with("__uint2") ||
           Name.starts_with("__ll2") || Name.starts_with("__ull2") ||
           Name.starts_with("__half2") || Name.starts_with("__bfloat162") ||
           Name.starts_with("__hiloint2")));
}

static DeviceFunction classifyGroupMember(const CXXMethodDecl &Method) {
  StringRef Name = Method.getIdentifier() ? Method.getName() : StringRef();
  StringRef Group = Method.getParent()->getName();
  if (Name == "sync" || Name == "barrier_arrive" || Name == "barrier_wait")
    return llvm::StringSwitch<DeviceFunction>(Group)
        .Cases({"thread_block", "thread_group", "cluster_group"},
               DeviceFunction::BlockSync)
        .Cases({"grid_group", "multi_grid_group"}, DeviceFunction::GridSync)
        .Default(DeviceFunction::WarpSync);
  if (Name.starts_with("shfl") || Name == "any" || Name == "all" ||
      Name == "ballot" || Name.starts_with("match"))
    return DeviceFunction::WarpShared;
  return DeviceFunction::Pure;
}

static bool isInNamespace(const FunctionDecl &Callee, StringRef Name) {
  for (const DeclContext *DC = Callee.getDeclContext(); DC;
       DC = DC->getParent())
    if (const auto *NS = dyn_cast<NamespaceDecl>(DC);
        NS && NS->getName() == Name)
      return true;
  return false;
}

static DeviceFunction classifySpelled(StringRef Name) {
  if (Name.starts_with("atomic") ||
      (Name.starts_with("__nv_atomic") && !Name.contains("fence")))
    return DeviceFunction::Atomic;
  if (Name.starts_with("__shfl") || Name.starts_with("__ballot") ||
      Name.starts_with("__match") || Name.starts_with("__reduce_") ||
      Name == "__any_sync" || Name == "__all_sync" || Name == "__uni_sync" ||
      Name == "__any" || Name == "__all" || Name == "__activemask")
    return DeviceFunction::WarpShared;
  if (Name.starts_with("__syncthreads"))
    return DeviceFunction::BlockSync;
  if (Name.starts_with("__threadfence") || Name == "__nv_atomic_thread_fence")
    return DeviceFunction::Fence;
  if (Name.starts_with("__ld") && Name.size() <= 6) // __ldg __ldcs __ldca ...
    return DeviceFunction::Load;
  if (Name.starts_with("__st") && Name.size() <= 6) // __stcg __stcs __stwt ...
    return DeviceFunction::Store;
  if (isMathFunction(Name) || isPureName(Name))
    return DeviceFunction::Pure;
  return llvm::StringSwitch<DeviceFunction>(Name)
      .Case("__syncwarp", DeviceFunction::WarpSync)
      .Cases({"clock", "clock64", "__nanosleep", "__globaltimer"},
             DeviceFunction::Clock)
      .Cases({"printf", "vprintf"}, DeviceFunction::Print)
      .Cases({"__assertfail", "__assert_fail", "__trap", "__brkpt", "abort"},
             DeviceFunction::Trap)
      .Default(DeviceFunction::Ordinary);
}

/// `operator float` of CUDA's own half and bfloat16.
static bool convertsSmallFloat(const FunctionDecl &Callee) {
  const auto *Conversion = dyn_cast<CXXConversionDecl>(&Callee);
  return Conversion && Conversion->getConversionType()->isArithmeticType() &&
         isSmallFloat(Callee.getASTContext().getCanonicalTagType(
             Conversion->getParent()));
}

bool isSmallFloat(QualType Type) {
  const CXXRecordDecl *Record = Type->getAsCXXRecordDecl();
  return Record && Record->getIdentifier() &&
         (Record->getName() == "__half" ||
          Record->getName() == "__nv_bfloat16") &&
         Record->getDeclContext()->isTranslationUnit() &&
         Record->getASTContext().getSourceManager().isInSystemHeader(
             Record->getLocation());
}

DeviceFunction classify(const FunctionDecl &Callee) {
  if (isInNamespace(Callee, "cooperative_groups")) {
    if (const auto *Method = dyn_cast<CXXMethodDecl>(&Callee))
      return classifyGroupMember(*Method);
    StringRef Name = Callee.getIdentifier() ? Callee.getName() : StringRef();
    if (Name.starts_with("this_") || Name.contains("partition") ||
        Name == "coalesced_threads")
      return DeviceFunction::Pure;
    if (Name == "sync" || Name.starts_with("wait"))
      return DeviceFunction::BlockSync;
    return DeviceFunction::WarpShared;
  }
  if (convertsSmallFloat(Callee))
    return DeviceFunction::Pure;
  if (!Callee.getIdentifier())
    return DeviceFunction::Ordinary;
  if (isa<CXXMethodDecl>(Callee))
    return DeviceFunction::Ordinary;
  // A project may give its own function one of CUDA's names, and define it in
  // another unit.
  const SourceManager &Sources = Callee.getASTContext().getSourceManager();
  const FunctionDecl *First = Callee.getFirstDecl();
  if (!Sources.isInSystemHeader(First->getLocation()) &&
      (Callee.hasBody() || !Callee.getBuiltinID()))
    return DeviceFunction::Ordinary;
  DeviceFunction ByName = classifySpelled(Callee.getName());
  if (ByName != DeviceFunction::Ordinary)
    return ByName;
  if (unsigned Id = Callee.getBuiltinID()) {
    const Builtin::Context &Builtins = Callee.getASTContext().BuiltinInfo;
    if (Builtins.isConst(Id) || Builtins.isPure(Id))
      return DeviceFunction::Pure;
  }
  if (Callee.hasAttr<ConstAttr>())
    return DeviceFunction::Pure;
  return DeviceFunction::Ordinary;
}

} // namespace cudal1
