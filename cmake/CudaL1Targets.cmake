# The project's targets, each made by one call.

add_library(CudaL1Options INTERFACE)
target_include_directories(CudaL1Options INTERFACE ${CMAKE_SOURCE_DIR}/include)
target_include_directories(CudaL1Options SYSTEM INTERFACE
  ${LLVM_INCLUDE_DIRS} ${CLANG_INCLUDE_DIRS})
separate_arguments(CudaL1LlvmDefinitions NATIVE_COMMAND "${LLVM_DEFINITIONS}")
target_compile_definitions(CudaL1Options INTERFACE TOML_EXCEPTIONS=0)
target_compile_options(CudaL1Options INTERFACE ${CudaL1LlvmDefinitions}
  -fno-exceptions -Wall -Wextra -Wno-unused-parameter)
if(CUDAL1_SANITIZE)
  target_compile_options(CudaL1Options INTERFACE
    -fsanitize=${CUDAL1_SANITIZE} -fno-sanitize=vptr -fno-omit-frame-pointer)
  target_link_options(CudaL1Options INTERFACE
    -fsanitize=${CUDAL1_SANITIZE} -fno-sanitize=vptr)
endif()
if(CMAKE_CXX_COMPILER_ID MATCHES Clang)
  # Time stamps in a precompiled header would defeat the compiler cache.
  target_compile_options(CudaL1Options INTERFACE
    "$<$<COMPILE_LANGUAGE:CXX>:SHELL:-Xclang -fno-pch-timestamp>")
endif()

# One precompiled header of Clang's heaviest headers, shared by all targets
# that use the AST (a file costs about 2 s with it, 10 to 16 s without).
file(WRITE ${CMAKE_BINARY_DIR}/CudaL1Pch.cpp "// Owner of the precompiled header.\n")
add_library(CudaL1Pch OBJECT ${CMAKE_BINARY_DIR}/CudaL1Pch.cpp)
target_link_libraries(CudaL1Pch PUBLIC CudaL1Options)
target_precompile_headers(CudaL1Pch PRIVATE ${CMAKE_SOURCE_DIR}/cmake/ClangPch.h)
set_target_properties(CudaL1Pch PROPERTIES POSITION_INDEPENDENT_CODE ON)

# cudal1_add_library(NAME [CLANG] SOURCES files... [LINK targets...])
# One layer: a static library CudaL1<NAME>. CLANG: it uses the AST.
function(cudal1_add_library Name)
  cmake_parse_arguments(Arg "CLANG" "" "SOURCES;LINK" ${ARGN})
  add_library(CudaL1${Name} STATIC ${Arg_SOURCES})
  target_link_libraries(CudaL1${Name} PUBLIC CudaL1Options ${Arg_LINK})
  set_target_properties(CudaL1${Name} PROPERTIES POSITION_INDEPENDENT_CODE ON)
  if(Arg_CLANG)
    target_precompile_headers(CudaL1${Name} REUSE_FROM CudaL1Pch)
    target_link_libraries(CudaL1${Name} PUBLIC ${CUDAL1_CLANG_LIBS} ${CUDAL1_LLVM_SUPPORT_LIBS})
  else()
    target_link_libraries(CudaL1${Name} PUBLIC ${CUDAL1_LLVM_SUPPORT_LIBS})
  endif()
endfunction()

# cudal1_add_tool(NAME [CLANG] [INTERNAL] SOURCES files... LINK targets...)
# INTERNAL: of use in this tree only, not installed.
function(cudal1_add_tool Name)
  cmake_parse_arguments(Arg "CLANG;INTERNAL" "" "SOURCES;LINK" ${ARGN})
  add_executable(${Name} ${Arg_SOURCES})
  target_link_libraries(${Name} PRIVATE CudaL1Options ${Arg_LINK})
  if(Arg_CLANG)
    # The shared precompiled header is made with -fPIC; CMake would say -fPIE.
    target_compile_options(${Name} PRIVATE -fPIC)
    target_precompile_headers(${Name} REUSE_FROM CudaL1Pch)
  endif()
  if(NOT Arg_INTERNAL)
    install(TARGETS ${Name} RUNTIME DESTINATION bin)
  endif()
endfunction()

# cudal1_add_unittest(NAME [CLANG] SOURCES files... LINK targets...)
# One GoogleTest program for a layer, run by CTest.
function(cudal1_add_unittest Name)
  cmake_parse_arguments(Arg "CLANG" "" "SOURCES;LINK" ${ARGN})
  add_executable(${Name} ${Arg_SOURCES})
  target_link_libraries(${Name} PRIVATE CudaL1Options ${Arg_LINK} GTest::gmock GTest::gtest_main)
  set_target_properties(${Name} PROPERTIES
    RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/unittests)
  if(Arg_CLANG)
    target_compile_options(${Name} PRIVATE -fPIC)
    target_precompile_headers(${Name} REUSE_FROM CudaL1Pch)
  endif()
  add_test(NAME ${Name} COMMAND ${Name})
  set_property(GLOBAL APPEND PROPERTY CUDAL1_UNITTESTS ${Name})
endfunction()
