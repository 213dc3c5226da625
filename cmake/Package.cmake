# Installs weir, and describes the packages that cpack makes: a stripped .deb and a
# stripped .tar.zst. Two builds of one commit give the same bytes.

include(CMakePackageConfigHelpers)
write_basic_package_version_file(${PROJECT_BINARY_DIR}/WeirConfigVersion.cmake
  COMPATIBILITY SameMinorVersion)
configure_file(cmake/package/weir.pc.in ${PROJECT_BINARY_DIR}/weir.pc @ONLY)

# Every time in a package is that of the commit at the last configuration, as a number and as Debian's
# changelog writes it. A tree without git has the time of its CHANGELOG.md.
set(WEIR_EPOCH $ENV{SOURCE_DATE_EPOCH})
if(NOT WEIR_EPOCH)
  execute_process(COMMAND git log -1 --format=%ct
    WORKING_DIRECTORY ${PROJECT_SOURCE_DIR}
    OUTPUT_VARIABLE WEIR_EPOCH OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
endif()
if(NOT WEIR_EPOCH)
  file(TIMESTAMP CHANGELOG.md WEIR_EPOCH "%s" UTC)
endif()
execute_process(COMMAND date --utc --date=@${WEIR_EPOCH} "+%a, %d %b %Y %H:%M:%S +0000"
  COMMAND_ERROR_IS_FATAL ANY
  OUTPUT_VARIABLE WEIR_DATE OUTPUT_STRIP_TRAILING_WHITESPACE)
# The project has no address for mail; the name is of a domain that never exists.
set(WEIR_MAINTAINER "weir maintainers <maintainers@weir.invalid>")

# Manual pages and completions, from the help of the tools.
set(manual ${PROJECT_BINARY_DIR}/manual)
add_custom_command(OUTPUT ${manual}/weir.bash
  BYPRODUCTS ${manual}/_weir ${manual}/weir.fish ${manual}/man1/weir.1
    ${manual}/man1/weir-compile.1 ${manual}/man1/weir-inspect.1 ${manual}/man1/weir-run.1
    ${manual}/man1/weir-bench.1 ${manual}/man1/weir-reference.1 ${manual}/man1/weir-diff.1
    ${manual}/man1/weir-merge.1
  COMMAND python3 ${PROJECT_SOURCE_DIR}/tools/package/manual.py ${PROJECT_BINARY_DIR}/bin ${manual}
  DEPENDS weir weir-run tools/package/manual.py)
add_custom_target(weir_manual ALL DEPENDS ${manual}/weir.bash)

# The first rule: the uninstall target removes the folders that are not there yet.
set(WEIR_FOLDERS bin include/weir lib/cmake/Weir lib/python3/dist-packages/weir
  share/pkgconfig share/man/man1 share/bash-completion/completions share/zsh/vendor-completions
  share/fish/vendor_completions.d share/doc/weir share/weir/src/runtime
  share/weir/src/runtime/comm share/weir/src/runtime/profile share/weir/src/tools/run)
configure_file(cmake/package/record.cmake.in ${PROJECT_BINARY_DIR}/record.cmake @ONLY)
install(SCRIPT ${PROJECT_BINARY_DIR}/record.cmake)

install(TARGETS weir weir-run weir-opt weir-translate weir-lsp RUNTIME DESTINATION bin)
# A package would depend on SimGrid.
if(TARGET weir-simulate)
  install(TARGETS weir-simulate RUNTIME DESTINATION bin COMPONENT simulate EXCLUDE_FROM_ALL)
endif()
# Debian's python3 finds packages here.
install(TARGETS weir_python LIBRARY DESTINATION lib/python3/dist-packages/weir)
install(DIRECTORY ${PROJECT_BINARY_DIR}/python/weir DESTINATION lib/python3/dist-packages
  PATTERN "*.so" EXCLUDE
  PATTERN "__pycache__" EXCLUDE)
install(FILES runtime/weir.h runtime/weir.hpp runtime/weir_types.hpp runtime/weir_custom.h DESTINATION include/weir)
# Programs that GEN_TEST and GEN_BENCHMARK add are built where the model runs.
install(DIRECTORY tools/run DESTINATION share/weir/src/tools FILES_MATCHING PATTERN "*.[ch]"
  PATTERN "cache.*" EXCLUDE PATTERN "engine.*" EXCLUDE PATTERN "ranks" EXCLUDE)
install(FILES runtime/weir.h DESTINATION share/weir/src/runtime)
# What joins ranks, by threads or by the MPI of the machine where they run.
install(FILES runtime/comm/info.h runtime/comm/mpi-open.c runtime/comm/mpi.c runtime/comm/mpi.h
  runtime/comm/threads.c runtime/comm/threads.h runtime/comm/wait.h DESTINATION share/weir/src/runtime/comm)
install(FILES runtime/profile/info.h DESTINATION share/weir/src/runtime/profile)
install(FILES cmake/package/main.c DESTINATION share/weir/src)
install(FILES cmake/package/WeirConfig.cmake ${PROJECT_BINARY_DIR}/WeirConfigVersion.cmake
  DESTINATION lib/cmake/Weir)
install(FILES ${PROJECT_BINARY_DIR}/weir.pc DESTINATION share/pkgconfig)
install(DIRECTORY ${manual}/man1 DESTINATION share/man)
install(FILES ${manual}/weir.bash DESTINATION share/bash-completion/completions RENAME weir)
install(FILES ${manual}/_weir DESTINATION share/zsh/vendor-completions)
install(FILES ${manual}/weir.fish DESTINATION share/fish/vendor_completions.d)
install(FILES README.md CHANGELOG.md LICENSE DESTINATION share/doc/weir)
install(DIRECTORY docs/ DESTINATION share/doc/weir/docs
  PATTERN "__pycache__" EXCLUDE
  REGEX "/docs/[^/]*\\.(py|yml|css|txt)$" EXCLUDE
  PATTERN "*.sh" PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE
    WORLD_READ WORLD_EXECUTE)
# The licences of what the tools link statically ask that their text is shipped.
foreach(package llvm-19-dev libprotobuf-dev zlib1g-dev libzstd-dev libstdc++-12-dev)
  if(EXISTS /usr/share/doc/${package}/copyright)
    install(FILES /usr/share/doc/${package}/copyright DESTINATION share/doc/weir/copyrights
      RENAME ${package})
  endif()
endforeach()

# cpack installs, too, so that CMake's own list may be of a package.
install(CODE "
  if(NOT \"\$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}\" MATCHES _CPack_Packages)
    string(REPLACE \";\" \"\\n\" files \"\${CMAKE_INSTALL_MANIFEST_FILES}\")
    file(WRITE ${PROJECT_BINARY_DIR}/installed.txt \"\${files}\")
  endif()")
configure_file(cmake/package/uninstall.cmake.in ${PROJECT_BINARY_DIR}/uninstall.cmake @ONLY)
add_custom_target(uninstall COMMAND ${CMAKE_COMMAND} -P ${PROJECT_BINARY_DIR}/uninstall.cmake VERBATIM)

set(CPACK_GENERATOR "DEB;TZST")
set(CPACK_SYSTEM_NAME linux-${CMAKE_SYSTEM_PROCESSOR})
set(CPACK_PACKAGE_NAME weir)
set(CPACK_PACKAGE_VENDOR weir)
set(CPACK_PACKAGE_CONTACT "${WEIR_MAINTAINER}")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "ahead-of-time compiler of TensorFlow and ONNX models")
set(CPACK_PACKAGE_DESCRIPTION
"weir compiles a TensorFlow SavedModel, a frozen graph or an ONNX file to a
native library with a C header. The library needs only libc, libm and pthread.
.
This package has the tools, the headers, a CMake package, a pkg-config file, a
module for Python 3, manual pages, completions for three shells and the
documentation.")
set(CPACK_STRIP_FILES ON)
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_COMPRESSION_TYPE xz)
set(CPACK_DEBIAN_PACKAGE_SECTION devel)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_RECOMMENDS "gcc | clang, python3-numpy")
set(CPACK_DEBIAN_PACKAGE_CONTROL_EXTRA
  ${PROJECT_SOURCE_DIR}/cmake/package/postinst ${PROJECT_SOURCE_DIR}/cmake/package/prerm)
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)
# xz writes other bytes with one thread than with several, but the same with any
# number of several.
set(CPACK_THREADS 4)
set(CPACK_WEIR_ZSTD_LEVEL 19)
configure_file(cmake/package/changelog.in ${PROJECT_BINARY_DIR}/package/changelog @ONLY)
configure_file(cmake/package/config.cmake.in ${PROJECT_BINARY_DIR}/package/config.cmake @ONLY)
configure_file(cmake/package/stage.cmake.in ${PROJECT_BINARY_DIR}/package/stage.cmake @ONLY)
set(CPACK_PROJECT_CONFIG_FILE ${PROJECT_BINARY_DIR}/package/config.cmake)
set(CPACK_PRE_BUILD_SCRIPTS ${PROJECT_BINARY_DIR}/package/stage.cmake)
set(CPACK_POST_BUILD_SCRIPTS ${PROJECT_SOURCE_DIR}/cmake/package/finish.cmake)
include(CPack)
