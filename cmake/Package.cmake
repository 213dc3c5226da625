# What is installed, and the packages that cpack makes of it: a .deb and a
# .tar.zst, stripped.

include(GNUInstallDirs)
include(CMakePackageConfigHelpers)
write_basic_package_version_file(${PROJECT_BINARY_DIR}/WeirConfigVersion.cmake
  COMPATIBILITY SameMinorVersion)
configure_file(cmake/package/weir.pc.in ${PROJECT_BINARY_DIR}/weir.pc @ONLY)

# Manual pages and completions, from the help of the tools.
set(manual ${PROJECT_BINARY_DIR}/manual)
add_custom_command(OUTPUT ${manual}/weir.bash
  COMMAND python3 ${PROJECT_SOURCE_DIR}/tools/package/manual.py ${PROJECT_BINARY_DIR}/bin ${manual}
  DEPENDS weir weir-run tools/package/manual.py)
add_custom_target(weir_manual ALL DEPENDS ${manual}/weir.bash)

install(TARGETS weir weir-run weir-opt weir-translate weir-lsp RUNTIME DESTINATION bin)
install(FILES tools/python/weir.py DESTINATION lib/weir/python)
install(FILES runtime/weir.h runtime/weir_custom.h DESTINATION include/weir)
install(FILES cmake/package/WeirConfig.cmake ${PROJECT_BINARY_DIR}/WeirConfigVersion.cmake
  DESTINATION lib/cmake/Weir)
install(FILES ${PROJECT_BINARY_DIR}/weir.pc DESTINATION lib/pkgconfig)
install(DIRECTORY ${manual}/man1 DESTINATION share/man)
install(FILES ${manual}/weir.bash DESTINATION share/bash-completion/completions RENAME weir)
install(FILES ${manual}/_weir DESTINATION share/zsh/vendor-completions)
install(FILES ${manual}/weir.fish DESTINATION share/fish/vendor_completions.d)
install(FILES README.md CHANGELOG.md DESTINATION share/doc/weir)
install(FILES LICENSE DESTINATION share/doc/weir RENAME copyright)
install(DIRECTORY docs/ DESTINATION share/doc/weir/docs FILES_MATCHING PATTERN "*.md")

# Removes what the last installation of this build wrote.
add_custom_target(uninstall
  COMMAND xargs -a ${PROJECT_BINARY_DIR}/install_manifest.txt -d "\\n" rm -f)

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
