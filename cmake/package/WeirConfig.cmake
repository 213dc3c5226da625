# For projects that compile models: find_package(Weir), then
#
#   weir_add_library(digits MODEL digits.pbtxt
#     [PREFIX name] [CPP_CLASS ns::Name] [WEIGHTS embed|file] [TAGS a,b]
#     [CHECKPOINT path] [SIGNATURE name | ALL_SIGNATURES]
#     [SHAPES x=1x3...] [DIMS batch=1..64...] [FEEDS x:1x3xf32...] [FETCHES y...]
#     [OPTIONS --threads=2...])
#   target_link_libraries(app PRIVATE digits)
#
# makes a static library and PREFIX.h, which is on the include path of what links
# it; PREFIX is the target's name unless it is given. The words are the options of
# weir compile that they are called after; OPTIONS takes all others. The library is
# made again when the model, the checkpoint or weir changes.

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

function(weir_add_library name)
  cmake_parse_arguments(PARSE_ARGV 1 ARG "ALL_SIGNATURES"
    "MODEL;PREFIX;CPP_CLASS;WEIGHTS;SIGNATURE;TAGS;CHECKPOINT" "SHAPES;DIMS;FEEDS;FETCHES;OPTIONS")
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
  get_filename_component(model "${ARG_MODEL}" ABSOLUTE)
  set(folder "${CMAKE_CURRENT_BINARY_DIR}/${name}.weir")
  set(library "${folder}/lib${ARG_PREFIX}.a")
  set(header "${folder}/${ARG_PREFIX}.h")
  set(made "${library}" "${header}")

  if(ARG_CHECKPOINT)
    get_filename_component(ARG_CHECKPOINT "${ARG_CHECKPOINT}" ABSOLUTE)
  endif()
  set(options "--prefix=${ARG_PREFIX}")
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
  if(ARG_WEIGHTS STREQUAL "file")
    list(APPEND made "${folder}/lib${ARG_PREFIX}.weights")
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
  file(MAKE_DIRECTORY "${folder}")
  add_custom_command(OUTPUT ${made}
    COMMAND Weir::weir compile "${model}" -o "${library}" "--header=${header}"
      ${options} ${ARG_OPTIONS}
    DEPENDS ${inputs} "${WEIR_COMPILER}"
    COMMENT "Compiling ${ARG_MODEL}" VERBATIM)
  add_custom_target(${name}_model DEPENDS ${made})

  add_library(${name} STATIC IMPORTED GLOBAL)
  set_target_properties(${name} PROPERTIES IMPORTED_LOCATION "${library}"
    INTERFACE_INCLUDE_DIRECTORIES "${folder}")
  target_link_libraries(${name} INTERFACE m ${CMAKE_DL_LIBS} Threads::Threads)
  add_dependencies(${name} ${name}_model)
endfunction()
