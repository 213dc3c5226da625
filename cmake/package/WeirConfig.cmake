# For projects that compile models: find_package(Weir), then
#
#   weir_add_library(digits MODEL digits.pbtxt
#     [PREFIX name] [CPP_HEADER] [CPP_CLASS ns::Name] [WEIGHTS embed|file] [TAGS a,b]
#     [CHECKPOINT path] [SIGNATURE name | ALL_SIGNATURES]
#     [SHAPES x=1x3...] [DIMS batch=1..64...] [FEEDS x:1x3xf32...] [FETCHES y...]
#     [OPTIONS --threads=2...]
#     [GEN_TEST [TEST_ARGS --expect=y=@y.npy...]] [GEN_BENCHMARK])
#   target_link_libraries(app PRIVATE digits)
#
# makes a static library and PREFIX.h, or with CPP_HEADER PREFIX.hpp. The header is
# on the include path of each target that links the library. PREFIX is the target's
# name unless it is given; in C names, other characters than letters and digits
# become underscores. The words have the names of options of weir compile; OPTIONS
# takes all others. The library is compiled again when weir changes, or a file that
# weir read: the model, its weights, a checkpoint.
#
# GEN_TEST adds the program digits_test and a test of CTest, which runs it:
# TEST_ARGS are options of weir-run, with paths relative to the source folder.
# Inputs that they do not give are random. GEN_BENCHMARK adds the program
# digits_benchmark, which prints the time of a run.

include(CMakeFindDependencyMacro)
find_dependency(Threads)

if(NOT WEIR_COMPILER)
  get_filename_component(weir_prefix "${CMAKE_CURRENT_LIST_DIR}/../../.." ABSOLUTE)
  find_program(WEIR_COMPILER weir HINTS "${weir_prefix}/bin" NO_CMAKE_FIND_ROOT_PATH)
endif()
if(NOT WEIR_COMPILER)
  set(Weir_FOUND FALSE)
  set(Weir_NOT_FOUND_MESSAGE "weir is not in ${weir_prefix}/bin; WEIR_COMPILER says where it is")
  return()
endif()
if(NOT TARGET Weir::weir)
  add_executable(Weir::weir IMPORTED GLOBAL)
  set_target_properties(Weir::weir PROPERTIES IMPORTED_LOCATION "${WEIR_COMPILER}")
endif()

# Paths in depfiles are relative to the folder where weir runs.
if(POLICY CMP0116)
  cmake_policy(SET CMP0116 NEW)
endif()

# A program that runs the library of weir_add_library(name) as weir-run would.
function(weir_add_runner program name prefix weights)
  if(NOT CMAKE_C_COMPILER_LOADED)
    message(FATAL_ERROR "weir_add_library(${name}): GEN_TEST and GEN_BENCHMARK need "
      "project(... LANGUAGES C)")
  endif()
  set(sources "${CMAKE_CURRENT_FUNCTION_LIST_DIR}/../../../share/weir/src")
  if(NOT TARGET weir_runner)
    file(GLOB_RECURSE runner "${sources}/tools/run/*.c")
    add_library(weir_runner STATIC EXCLUDE_FROM_ALL ${runner})
    set_target_properties(weir_runner PROPERTIES C_STANDARD 11)
    target_include_directories(weir_runner PUBLIC "${sources}")
    target_link_libraries(weir_runner PUBLIC m ${CMAKE_DL_LIBS})
  endif()
  # weir changes these prefixes further, and the runner would not find the library.
  set(words alignas alignof and and_eq asm assert auto bitand bitor bool break case catch
    char class compl complex const const_cast constexpr context continue decltype default
    delete do double dynamic_cast else enum errno explicit export extern false float for
    friend goto i386 if imaginary inline int linux long main mutable namespace new noexcept
    noreturn not not_eq nullptr operator or or_eq private protected public register
    reinterpret_cast restrict return short signed sizeof static static_assert static_cast
    stderr stdin stdout struct switch template this thread_local throw true try typedef
    typeid typename union unix unsigned using virtual void volatile while xor xor_eq)
  if(prefix IN_LIST words OR prefix MATCHES "^[0-9]|_t$" OR NOT prefix MATCHES "[a-z]")
    message(FATAL_ERROR "weir_add_library(${name}): GEN_TEST and GEN_BENCHMARK need a PREFIX "
      "that is a C identifier with lower-case letters and no word of C++, not '${prefix}'")
  endif()
  add_executable(${program} "${sources}/main.c")
  target_compile_definitions(${program} PRIVATE WEIR_INFO=${prefix}_info)
  if(weights)
    target_compile_definitions(${program} PRIVATE "WEIR_WEIGHTS=\"${weights}\"")
  endif()
  target_link_libraries(${program} PRIVATE ${name} weir_runner)
endfunction()

function(weir_add_library name)
  cmake_parse_arguments(PARSE_ARGV 1 ARG "ALL_SIGNATURES;CPP_HEADER;GEN_TEST;GEN_BENCHMARK"
    "MODEL;PREFIX;CPP_CLASS;WEIGHTS;SIGNATURE;TAGS;CHECKPOINT"
    "SHAPES;DIMS;FEEDS;FETCHES;OPTIONS;TEST_ARGS")
  if(NOT ARG_MODEL)
    message(FATAL_ERROR "weir_add_library(${name}): no MODEL")
  endif()
  if(ARG_UNPARSED_ARGUMENTS OR ARG_KEYWORDS_MISSING_VALUES)
    message(FATAL_ERROR "weir_add_library(${name}): what is "
      "'${ARG_UNPARSED_ARGUMENTS}${ARG_KEYWORDS_MISSING_VALUES}'?")
  endif()
  if(NOT ARG_PREFIX)
    set(ARG_PREFIX ${name})
  endif()
  # File names keep the prefix as it is.
  string(REGEX REPLACE "[^A-Za-z0-9]+" "_" symbol "${ARG_PREFIX}")
  string(REGEX REPLACE "^_|_$" "" symbol "${symbol}")
  get_filename_component(model "${ARG_MODEL}" ABSOLUTE)
  set(folder "${CMAKE_CURRENT_BINARY_DIR}/${name}.weir")
  set(library "${folder}/lib${ARG_PREFIX}.a")
  set(header "${folder}/${ARG_PREFIX}.h")
  if(ARG_CPP_HEADER)
    string(APPEND header pp)
  endif()
  set(made "${library}" "${header}")

  if(ARG_CHECKPOINT)
    get_filename_component(ARG_CHECKPOINT "${ARG_CHECKPOINT}" ABSOLUTE)
  endif()
  set(options "--prefix=${symbol}")
  foreach(word CPP_CLASS WEIGHTS SIGNATURE TAGS CHECKPOINT)
    if(ARG_${word})
      string(TOLOWER ${word} option)
      string(REPLACE "_" "-" option ${option})
      list(APPEND options "--${option}=${ARG_${word}}")
    endif()
  endforeach()
  foreach(option shape dim feed fetch)
    string(TOUPPER ${option} word)
    foreach(value ${ARG_${word}S} ${ARG_${word}ES})
      list(APPEND options "--${option}=${value}")
    endforeach()
  endforeach()
  if(ARG_ALL_SIGNATURES)
    list(APPEND options --all-signatures)
  endif()
  # weir writes no such file for a model without weights. An output that is absent
  # would compile the model again in every build.
  set(weights)
  set(touch)
  if(ARG_WEIGHTS STREQUAL "file")
    set(weights "${folder}/lib${ARG_PREFIX}.weights")
    set(touch COMMAND ${CMAKE_COMMAND} -E touch "${weights}")
  endif()
  # weir runs where the project is built; what it makes, where the project runs.
  if(CMAKE_CROSSCOMPILING AND NOT "${ARG_OPTIONS}" MATCHES "--target")
    list(APPEND options --target=${CMAKE_SYSTEM_PROCESSOR}-linux-gnu -mcpu=generic)
  endif()

  # A SavedModel is a folder: of its files each may change.
  set(inputs "${model}")
  if(IS_DIRECTORY "${model}")
    file(GLOB_RECURSE inputs CONFIGURE_DEPENDS "${model}/*")
  endif()
  if(ARG_CHECKPOINT)
    list(APPEND inputs "${ARG_CHECKPOINT}.index")
  endif()
  # Older versions of CMake give depfiles to ninja only.
  set(depfile)
  if(NOT CMAKE_VERSION VERSION_LESS 3.20 OR CMAKE_GENERATOR MATCHES Ninja)
    set(depfile DEPFILE "${folder}/${ARG_PREFIX}.d")
    list(APPEND options -MD -MF "${folder}/${ARG_PREFIX}.d")
  endif()
  file(MAKE_DIRECTORY "${folder}")
  add_custom_command(OUTPUT ${made} BYPRODUCTS ${weights}
    COMMAND Weir::weir compile "${model}" -o "${library}" "--header=${header}"
      ${options} ${ARG_OPTIONS}
    ${touch}
    DEPENDS ${inputs} "${WEIR_COMPILER}"
    ${depfile}
    COMMENT "Compiling ${ARG_MODEL}" VERBATIM)
  add_custom_target(${name}_model DEPENDS ${made})

  add_library(${name} STATIC IMPORTED GLOBAL)
  set_target_properties(${name} PROPERTIES IMPORTED_LOCATION "${library}"
    INTERFACE_INCLUDE_DIRECTORIES "${folder}")
  target_link_libraries(${name} INTERFACE m ${CMAKE_DL_LIBS} Threads::Threads)
  add_dependencies(${name} ${name}_model)

  if(ARG_GEN_TEST)
    weir_add_runner(${name}_test ${name} "${symbol}" "${weights}")
    add_test(NAME ${name}_test COMMAND ${name}_test ${ARG_TEST_ARGS}
      WORKING_DIRECTORY "${CMAKE_CURRENT_SOURCE_DIR}")
  elseif(ARG_TEST_ARGS)
    message(FATAL_ERROR "weir_add_library(${name}): TEST_ARGS goes with GEN_TEST")
  endif()
  if(ARG_GEN_BENCHMARK)
    weir_add_runner(${name}_benchmark ${name} "${symbol}" "${weights}")
    target_compile_definitions(${name}_benchmark PRIVATE WEIR_BENCHMARK)
  endif()
endfunction()
