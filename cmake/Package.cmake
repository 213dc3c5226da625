# What is installed, and the packages that cpack makes of it: a .deb and a
# .tar.zst, stripped.

include(CMakePackageConfigHelpers)
write_basic_package_version_file(${PROJECT_BINARY_DIR}/WeirConfigVersion.cmake
  COMPATIBILITY SameMinorVersion)
configure_file(cmake/package/weir.pc.in ${PROJECT_BINARY_DIR}/weir.pc @ONLY)

# Manual pages and completions, from the help of the tools.
set(manual ${PROJECT_BINARY_DIR}/manual)
add_custom_command(OUTPUT ${manual}/weir.bash
  BYPRODUCTS ${manual}/_weir ${manual}/weir.fish ${manual}/man1/weir.1
    ${manual}/man1/weir-compile.1 ${manual}/man1/weir-inspect.1 ${manual}/man1/weir-run.1
  COMMAND python3 ${PROJECT_SOURCE_DIR}/tools/package/manual.py ${PROJECT_BINARY_DIR}/bin ${manual}
  DEPENDS weir weir-run tools/package/manual.py)
add_custom_target(weir_manual ALL DEPENDS ${manual}/weir.bash)

install(TARGETS weir weir-run weir-opt weir-translate weir-lsp RUNTIME DESTINATION bin)
install(FILES tools/python/weir.py DESTINATION lib/weir/python)
install(FILES runtime/weir.h runtime/weir.hpp runtime/weir_types.hpp runtime/weir_custom.h DESTINATION include/weir)
install(FILES cmake/package/WeirConfig.cmake ${PROJECT_BINARY_DIR}/WeirConfigVersion.cmake
  DESTINATION lib/cmake/Weir)
install(FILES ${PROJECT_BINARY_DIR}/weir.pc DESTINATION lib/pkgconfig)
install(DIRECTORY ${manual}/man1 DESTINATION share/man)
install(FILES ${manual}/weir.bash DESTINATION share/bash-completion/completions RENAME weir)
install(FILES ${manual}/_weir DESTINATION share/zsh/site-functions)
install(FILES ${manual}/weir.fish DESTINATION share/fish/vendor_completions.d)
install(FILES README.md CHANGELOG.md DESTINATION share/doc/weir)
install(FILES LICENSE DESTINATION share/doc/weir RENAME copyright)
install(DIRECTORY docs/ DESTINATION share/doc/weir/docs
  PATTERN "__pycache__" EXCLUDE PATTERN "CMakeLists.txt" EXCLUDE PATTERN "gradients.py" EXCLUDE)
install(FILES docs/examples/cmake/CMakeLists.txt DESTINATION share/doc/weir/docs/examples/cmake)

# cpack installs, too, so that CMake's own list may be of a package.
install(CODE "
  if(NOT \"\$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}\" MATCHES _CPack_Packages)
    string(REPLACE \";\" \"\\n\" files \"\${CMAKE_INSTALL_MANIFEST_FILES}\")
    file(WRITE ${PROJECT_BINARY_DIR}/installed.txt \"\${files}\")
  endif()")
configure_file(cmake/package/uninstall.cmake.in ${PROJECT_BINARY_DIR}/uninstall.cmake @ONLY)
add_custom_target(uninstall COMMAND ${CMAKE_COMMAND} -P ${PROJECT_BINARY_DIR}/uninstall.cmake VERBATIM)

set(CPACK_GENERATOR "DEB;TZST")
set(CPACK_PACKAGE_NAME weir)
set(CPACK_PACKAGE_VENDOR weir)
set(CPACK_PACKAGE_CONTACT "weir <weir@localhost>")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "Ahead-of-time compiler of TensorFlow and ONNX models to native libraries")
set(CPACK_STRIP_FILES ON)
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_COMPRESSION_TYPE xz)
set(CPACK_DEBIAN_PACKAGE_SECTION devel)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_RECOMMENDS "gcc | clang")
set(CPACK_DEBIAN_PACKAGE_SUGGESTS "python3-numpy")
set(CPACK_THREADS 0)
include(CPack)
