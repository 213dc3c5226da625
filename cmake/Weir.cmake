# The build vocabulary: a folder says what it is in one call.
#
#   weir_dialect(graph FAMILIES ... SOURCES ...)  a dialect: its .td files, .cpp and docs
#   weir_passes(lower SOURCES ...)                one stage of passes and its Passes.td
#   weir_library(import SOURCES ...)              any other library of the compiler
#   weir_tool(weir-opt SOURCES ...)               an executable

list(APPEND CMAKE_MODULE_PATH ${MLIR_CMAKE_DIR} ${LLVM_CMAKE_DIR})
set(LLVM_TABLEGEN_EXE ${LLVM_TOOLS_BINARY_DIR}/llvm-tblgen)
include(TableGen)
include(AddLLVM)
include(AddMLIR)

set(CMAKE_CXX_STANDARD 17)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_C_STANDARD 11)
set(CMAKE_RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/bin)
set(WEIR_SANITIZE "" CACHE STRING "sanitizers to build with, as for -fsanitize=")

# Debian's exported MLIR targets name the shared LLVM; a tool linked fully
# statically starts in 3 ms instead of 25-50, which every lit test pays.
set(LLVM_LINK_LLVM_DYLIB OFF)
llvm_map_components_to_libnames(WEIR_LLVM_LIBS
  support core analysis passes target mc mcparser irreader bitreader bitwriter
  linker ipo object option objcopy frontendopenmp lto
  x86info x86desc x86codegen x86asmparser
  aarch64info aarch64desc aarch64codegen aarch64asmparser
  nvptxinfo nvptxdesc nvptxcodegen)
# A package runs where only glibc is, so zlib and Zstandard are linked statically.
# Debian's export also names Z3, which nothing that weir links calls.
find_library(WEIR_ZLIB libz.a REQUIRED)
find_library(WEIR_ZSTD libzstd.a REQUIRED)
get_target_property(uses LLVMSupport INTERFACE_LINK_LIBRARIES)
list(FILTER uses EXCLUDE REGEX "libz3")
list(TRANSFORM uses REPLACE "^ZLIB::ZLIB$" ${WEIR_ZLIB})
list(TRANSFORM uses REPLACE "^zstd::.*" ${WEIR_ZSTD})
set_target_properties(LLVMSupport PROPERTIES INTERFACE_LINK_LIBRARIES "${uses}")
get_property(all_mlir GLOBAL PROPERTY MLIR_ALL_LIBS)
foreach(lib ${all_mlir})
  if(TARGET ${lib})
    get_target_property(uses ${lib} INTERFACE_LINK_LIBRARIES)
    if(uses)
      list(TRANSFORM uses REPLACE "^LLVM$" "LLVMSupport")
      set_target_properties(${lib} PROPERTIES INTERFACE_LINK_LIBRARIES "${uses}")
    endif()
  endif()
endforeach()

# What any part of weir may use of MLIR; lld takes only the members in use.
set(WEIR_MLIR_LIBS
  MLIRIR MLIRParser MLIRPass MLIRTransforms MLIRTransformUtils MLIRRewrite MLIRAnalysis
  MLIRFuncDialect MLIRArithDialect MLIRMathDialect MLIRLinalgDialect MLIRTensorDialect
  MLIRSCFDialect MLIRVectorDialect MLIRMemRefDialect MLIRAffineDialect MLIRLLVMDialect
  MLIRNVVMDialect MLIRNVVMToLLVMIRTranslation MLIRControlFlowDialect MLIRBufferizationDialect MLIRUBDialect MLIRComplexDialect
  MLIRLinalgTransforms MLIRLinalgUtils MLIRTensorTransforms MLIRSCFTransforms MLIRSCFUtils
  MLIRVectorTransforms MLIRVectorUtils MLIRMemRefTransforms MLIRMemRefUtils MLIRArithTransforms MLIRArithUtils
  MLIRAffineTransforms MLIRAffineUtils MLIRMathTransforms
  MLIRBufferizationTransforms MLIRBufferizationPipelines MLIRFuncTransforms
  MLIRTensorInferTypeOpInterfaceImpl MLIRTensorTilingInterfaceImpl MLIRTilingInterface
  MLIRSCFToControlFlow MLIRControlFlowToLLVM MLIRVectorToLLVM MLIRVectorToLLVMPass
  MLIRVectorToSCF MLIRMathToLLVM MLIRMathToLibm MLIRFuncToLLVM MLIRArithToLLVM MLIRMemRefToLLVM
  MLIRAffineToStandard MLIRReconcileUnrealizedCasts MLIRUBToLLVM MLIRIndexToLLVM
  MLIRTargetLLVMIRExport MLIRLLVMToLLVMIRTranslation MLIRBuiltinToLLVMIRTranslation
  MLIRLLVMIRTransforms MLIRTranslateLib MLIROptLib MLIRReduceLib MLIRLspServerLib
  MLIRFuncInlinerExtension MLIRFuncAllExtensions MLIRBytecodeReader MLIRBytecodeWriter)

# weir reads files of anyone: its own binaries are hardened as its products are.
add_link_options(-pie -Wl,-z,relro,-z,now,-z,noexecstack -Wl,--gc-sections)
set(WEIR_HARDENED -fPIE -fstack-protector-strong)
if(NOT WEIR_SANITIZE)
  list(APPEND WEIR_HARDENED -U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=2)
endif()

# Includes read from the root of the house: "dialects/graph/Graph.h".
# Generated files mirror the same paths under the build folder.
add_library(weir_base INTERFACE)
target_include_directories(weir_base INTERFACE ${PROJECT_SOURCE_DIR} ${PROJECT_BINARY_DIR})
target_include_directories(weir_base SYSTEM INTERFACE ${MLIR_INCLUDE_DIRS} ${LLVM_INCLUDE_DIRS})
target_compile_definitions(weir_base INTERFACE ${LLVM_DEFINITIONS_LIST})
target_compile_options(weir_base INTERFACE ${WEIR_HARDENED} -fno-exceptions -Wall -Wextra -Wno-unused-parameter
  -Xclang -fno-pch-timestamp)
target_link_libraries(weir_base INTERFACE ${WEIR_MLIR_LIBS} ${WEIR_LLVM_LIBS})
target_link_options(weir_base INTERFACE -fuse-ld=lld)
if(NOT WEIR_SANITIZE)
  target_link_options(weir_base INTERFACE -static-libstdc++ -static-libgcc)
endif()
if(WEIR_SANITIZE)
  add_compile_options(-fsanitize=${WEIR_SANITIZE} -fno-sanitize=vptr,function -fno-sanitize-recover=all -fno-omit-frame-pointer)
  add_link_options(-fsanitize=${WEIR_SANITIZE} -fno-sanitize=vptr,function)
endif()

# One precompiled header of MLIR's own headers, never ours: a file compiles in
# about 2 s instead of 9.
file(WRITE ${PROJECT_BINARY_DIR}/pch/pch.cpp "")
add_library(weir_pch STATIC ${PROJECT_BINARY_DIR}/pch/pch.cpp)
target_link_libraries(weir_pch PUBLIC weir_base)
target_precompile_headers(weir_pch PRIVATE ${PROJECT_SOURCE_DIR}/cmake/pch.h)

# Tablegen runs with the root on its include path, as the compiler does.
set(MLIR_TABLEGEN_FLAGS -I ${PROJECT_SOURCE_DIR} -I ${MLIR_INCLUDE_DIRS})

# Every source beside the CMakeLists.txt that uses it; no globbing. USES names
# other libraries of weir, LIBS foreign ones.
function(weir_library name)
  cmake_parse_arguments(ARG "" "" "SOURCES;USES;LIBS" ${ARGN})
  add_library(weir_${name} STATIC ${ARG_SOURCES})
  target_precompile_headers(weir_${name} REUSE_FROM weir_pch)
  list(TRANSFORM ARG_USES PREPEND weir_)
  target_link_libraries(weir_${name} PUBLIC weir_base ${ARG_USES} ${ARG_LIBS})
  foreach(use ${ARG_USES})
    if(TARGET ${use}_gen)
      add_dependencies(weir_${name} ${use}_gen)
    endif()
  endforeach()
endfunction()

# FAMILIES: <Family>Ops.td files beside, each with its own generated header, so
# that a change of one family rebuilds only what uses it; the enums of a family
# that has some are in <Family>Enums.td. `Interfaces` and the
# dialect itself come from <Name>Interfaces.td and <Name>Base.td, and its
# attributes from <Name>Attrs.td, if it has any.
function(weir_dialect name Name)
  cmake_parse_arguments(ARG "" "" "FAMILIES;SOURCES;USES" ${ARGN})
  set(LLVM_TARGET_DEFINITIONS ${Name}Interfaces.td)
  mlir_tablegen(${Name}Interfaces.h.inc -gen-op-interface-decls ${MLIR_TABLEGEN_FLAGS})
  mlir_tablegen(${Name}Interfaces.cpp.inc -gen-op-interface-defs ${MLIR_TABLEGEN_FLAGS})
  mlir_tablegen(${Name}Enums.h.inc -gen-enum-decls ${MLIR_TABLEGEN_FLAGS})
  mlir_tablegen(${Name}Enums.cpp.inc -gen-enum-defs ${MLIR_TABLEGEN_FLAGS})
  set(LLVM_TARGET_DEFINITIONS ${Name}Base.td)
  mlir_tablegen(${Name}Dialect.h.inc -gen-dialect-decls -dialect=${name} ${MLIR_TABLEGEN_FLAGS})
  mlir_tablegen(${Name}Dialect.cpp.inc -gen-dialect-defs -dialect=${name} ${MLIR_TABLEGEN_FLAGS})
  if(EXISTS ${CMAKE_CURRENT_SOURCE_DIR}/${Name}Attrs.td)
    set(LLVM_TARGET_DEFINITIONS ${Name}Attrs.td)
    mlir_tablegen(${Name}Attrs.h.inc -gen-attrdef-decls -attrdefs-dialect=${name} ${MLIR_TABLEGEN_FLAGS})
    mlir_tablegen(${Name}Attrs.cpp.inc -gen-attrdef-defs -attrdefs-dialect=${name} ${MLIR_TABLEGEN_FLAGS})
    mlir_tablegen(${Name}Attrs.md -gen-attrdef-doc -attrdefs-dialect=${name} ${MLIR_TABLEGEN_FLAGS})
    set_property(GLOBAL APPEND PROPERTY WEIR_DOCS ${CMAKE_CURRENT_BINARY_DIR}/${Name}Attrs.md)
  endif()
  foreach(family ${ARG_FAMILIES})
    set(LLVM_TARGET_DEFINITIONS ${family}Ops.td)
    mlir_tablegen(${family}Ops.h.inc -gen-op-decls ${MLIR_TABLEGEN_FLAGS})
    mlir_tablegen(${family}Ops.cpp.inc -gen-op-defs ${MLIR_TABLEGEN_FLAGS})
    if(EXISTS ${CMAKE_CURRENT_SOURCE_DIR}/${family}Enums.td)
      set(LLVM_TARGET_DEFINITIONS ${family}Enums.td)
      mlir_tablegen(${family}Enums.h.inc -gen-enum-decls ${MLIR_TABLEGEN_FLAGS})
      mlir_tablegen(${family}Enums.cpp.inc -gen-enum-defs ${MLIR_TABLEGEN_FLAGS})
      set(LLVM_TARGET_DEFINITIONS ${family}Ops.td)
    endif()
    mlir_tablegen(${family}Ops.md -gen-op-doc ${MLIR_TABLEGEN_FLAGS})
    set_property(GLOBAL APPEND PROPERTY WEIR_DOCS ${CMAKE_CURRENT_BINARY_DIR}/${family}Ops.md)
  endforeach()
  add_public_tablegen_target(weir_${name}_gen)
  weir_library(${name} SOURCES ${ARG_SOURCES} USES ${ARG_USES})
  add_dependencies(weir_${name} weir_${name}_gen)
endfunction()

# weir_embed(SOURCE FILES...): SOURCE includes FILES with .incbin. ccache does not see
# them, so SOURCE also includes Embedded.h, whose content changes with them.
function(weir_embed source)
  set(header ${CMAKE_CURRENT_BINARY_DIR}/Embedded.h)
  add_custom_command(OUTPUT ${header}
    COMMAND sh -c "cat \"$@\" | sha256sum | sed 's,^,// ,' > Embedded.h" sh ${ARGN}
    DEPENDS ${ARGN}
    WORKING_DIRECTORY ${CMAKE_CURRENT_BINARY_DIR}
    VERBATIM)
  set_source_files_properties(${source} PROPERTIES
    OBJECT_DEPENDS "${header};${ARGN}"
    SKIP_PRECOMPILE_HEADERS ON)
endfunction()

function(weir_passes name)
  cmake_parse_arguments(ARG "" "" "SOURCES;USES;LIBS" ${ARGN})
  string(SUBSTRING ${name} 0 1 head)
  string(SUBSTRING ${name} 1 -1 tail)
  string(TOUPPER ${head} head)
  set(LLVM_TARGET_DEFINITIONS Passes.td)
  mlir_tablegen(Passes.h.inc -gen-pass-decls -name=${head}${tail} ${MLIR_TABLEGEN_FLAGS})
  mlir_tablegen(Passes.md -gen-pass-doc ${MLIR_TABLEGEN_FLAGS})
  add_public_tablegen_target(weir_passes_${name}_gen)
  weir_library(passes_${name} SOURCES ${ARG_SOURCES} USES ${ARG_USES} LIBS ${ARG_LIBS})
  add_dependencies(weir_passes_${name} weir_passes_${name}_gen)
  set_property(GLOBAL APPEND PROPERTY WEIR_DOCS ${CMAKE_CURRENT_BINARY_DIR}/Passes.md)
endfunction()

function(weir_tool name)
  cmake_parse_arguments(ARG "" "" "SOURCES;USES;LIBS" ${ARGN})
  add_executable(${name} ${ARG_SOURCES})
  target_precompile_headers(${name} REUSE_FROM weir_pch)
  list(TRANSFORM ARG_USES PREPEND weir_)
  target_link_libraries(${name} PRIVATE weir_base ${ARG_USES} ${ARG_LIBS})
endfunction()
