# cpack runs this on the packages that it wrote, and makes them again where the same
# files may give other bytes.
set(ENV{LC_ALL} C)
foreach(file ${CPACK_PACKAGE_FILES})
  if(file MATCHES "\\.deb$")
    # CPack gives the members of the .deb the user's file mode mask; ar does not.
    set(parts "${CPACK_TEMPORARY_DIRECTORY}.parts")
    file(MAKE_DIRECTORY "${parts}")
    execute_process(COMMAND ar t "${file}" OUTPUT_VARIABLE names COMMAND_ERROR_IS_FATAL ANY)
    string(REGEX MATCHALL "[^\n]+" names "${names}")
    execute_process(COMMAND ar x "${file}" WORKING_DIRECTORY "${parts}" COMMAND_ERROR_IS_FATAL ANY)
    file(REMOVE "${file}")
    execute_process(COMMAND ar qcSD "${file}" ${names} WORKING_DIRECTORY "${parts}"
      COMMAND_ERROR_IS_FATAL ANY)
    file(REMOVE_RECURSE "${parts}")
  elseif(file MATCHES "\\.tar\\.zst$")
    # CPack keeps the order of the file system and the user who builds. Here the names
    # are in order, the user is root, and one folder holds what /usr has in the .deb.
    # zstd writes the same bytes with any number of threads.
    execute_process(
      COMMAND tar --create "--directory=${CPACK_TEMPORARY_DIRECTORY}" --sort=name --format=ustar
        --owner=0 --group=0 --numeric-owner "--transform=s,^usr,${CPACK_PACKAGE_FILE_NAME}," usr
      COMMAND zstd -${CPACK_WEIR_ZSTD_LEVEL} -T0 --quiet --force -o "${file}"
      COMMAND_ERROR_IS_FATAL ANY)
  endif()
endforeach()
