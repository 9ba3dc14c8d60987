# Finds LLVM and Clang 22 and says how our targets link them.
#
# Two ways, never mixed in one process: the shared libraries (quick to link,
# for development) or the static archives (a relocatable binary, for shipping).

find_package(LLVM 22.1 REQUIRED CONFIG)
find_package(Clang 22.1 REQUIRED CONFIG)
message(STATUS "LLVM ${LLVM_PACKAGE_VERSION} in ${LLVM_INSTALL_PREFIX}")

# The compiler's own headers. The installed binary looks beside itself first.
set(CUDAL1_CLANG_RESOURCE_DIR
    "${LLVM_INSTALL_PREFIX}/lib/clang/${LLVM_VERSION_MAJOR}" CACHE PATH
    "Clang's resource directory, used when none lies beside the binary")

if(CUDAL1_STATIC_LLVM)
  # Clang's exported archives name the shared LLVM; take it out, so that only
  # the static components are linked.
  foreach(Target ${CLANG_EXPORTED_TARGETS})
    if(NOT TARGET ${Target})
      continue()
    endif()
    get_target_property(Links ${Target} INTERFACE_LINK_LIBRARIES)
    if(Links)
      list(REMOVE_ITEM Links LLVM)
      set_target_properties(${Target} PROPERTIES INTERFACE_LINK_LIBRARIES "${Links}")
    endif()
  endforeach()
  llvm_map_components_to_libnames(CUDAL1_LLVM_LIBS
    Core Support Option TargetParser FrontendOpenMP FrontendDriver FrontendHLSL
    FrontendDirective FrontendAtomic FrontendOffloading BitReader BitWriter
    BitstreamReader BinaryFormat MC MCParser ProfileData Remarks WindowsDriver
    ScalarOpts AllTargetsInfos Plugins
    # The emulator's: IR, optimiser, code for this machine.
    Object AsmParser IRReader Linker Passes CodeGen Target AsmPrinter Coverage LTO
    ${LLVM_NATIVE_ARCH})
  # LLVM names libraries that our binary does not need (z3).
  add_link_options(-Wl,--as-needed)
  set(CUDAL1_CLANG_LIBS clangCodeGen clangTooling clangToolingCore clangToolingRefactoring
      clangFormat clangFrontend clangDriver clangSerialization clangParse
      clangSema clangAnalysis clangAST clangASTMatchers clangEdit clangLex
      clangRewrite clangToolingInclusions clangBasic)
  set(CUDAL1_LLVM_SUPPORT_LIBS ${CUDAL1_LLVM_LIBS})
else()
  set(CUDAL1_CLANG_LIBS clang-cpp LLVM)
  set(CUDAL1_LLVM_SUPPORT_LIBS LLVM)
endif()
