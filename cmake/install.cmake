# What users get: headers, library, command, and two ways to find them (CMake, pkg-config).
include(CMakePackageConfigHelpers)
include(GNUInstallDirs)

install(TARGETS splitgp EXPORT splitgpTargets FILE_SET HEADERS)
if(SPLITGP_BUILD_C)
  install(TARGETS splitgp_c EXPORT splitgpTargets FILE_SET HEADERS)
endif()
if(SPLITGP_BUILD_CLI)
  install(TARGETS splitgp_cli)
  install(FILES docs/splitgp.1 DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)
  # The unit runs the command where it is installed. Written during the installation, because
  # `cmake --install --prefix` may choose another place.
  install(CODE "set(SPLITGP_UNIT_IN \"${PROJECT_SOURCE_DIR}/packaging/splitgp@.service.in\")
set(SPLITGP_BINDIR \"${CMAKE_INSTALL_BINDIR}\")
set(SPLITGP_UNIT_OUT \"${PROJECT_BINARY_DIR}/splitgp@.service\")
set(SPLITGP_UNIT_DIR \"lib/systemd/system\")")
  install(SCRIPT ${PROJECT_SOURCE_DIR}/cmake/install_unit.cmake)
  if(NOT CMAKE_CROSSCOMPILING) # written by the command itself: src/CMakeLists.txt
    set(completions ${PROJECT_BINARY_DIR}/completions)
    install(FILES ${completions}/splitgp
            DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions)
    install(FILES ${completions}/_splitgp DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/site-functions)
    install(FILES ${completions}/splitgp.fish
            DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d)
  endif()
endif()

set(config_dir ${CMAKE_INSTALL_LIBDIR}/cmake/splitgp)
install(EXPORT splitgpTargets NAMESPACE splitgp:: DESTINATION ${config_dir})

# A static library leaves its private dependencies to the user's link; a shared one has them inside.
get_target_property(SPLITGP_LIBRARY_TYPE splitgp TYPE)
if(SPLITGP_LIBRARY_TYPE STREQUAL "STATIC_LIBRARY")
  # Into the plain fields, so that users need not know about `pkg-config --static`.
  string(APPEND SPLITGP_PC_REQUIRES " ${SPLITGP_PC_REQUIRES_PRIVATE}")
  set(SPLITGP_PC_LIBS "${SPLITGP_PC_LIBS_PRIVATE}")
endif()
# Relative to the .pc file, so that `cmake --install --prefix` may choose any place.
string(REGEX REPLACE "[^/]+" ".." SPLITGP_PC_PREFIX "${CMAKE_INSTALL_LIBDIR}/pkgconfig")

configure_package_config_file(cmake/splitgpConfig.cmake.in splitgpConfig.cmake
                              INSTALL_DESTINATION ${config_dir})
# While the version is 0.x, a new minor version may change the API.
write_basic_package_version_file(splitgpConfigVersion.cmake COMPATIBILITY SameMinorVersion)
configure_file(cmake/splitgp.pc.in splitgp.pc @ONLY)

install(FILES ${PROJECT_BINARY_DIR}/splitgpConfig.cmake
              ${PROJECT_BINARY_DIR}/splitgpConfigVersion.cmake
        DESTINATION ${config_dir})
install(FILES ${PROJECT_BINARY_DIR}/splitgp.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
if(SPLITGP_BUILD_C)
  configure_file(cmake/splitgp_c.pc.in splitgp_c.pc @ONLY)
  install(FILES ${PROJECT_BINARY_DIR}/splitgp_c.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
endif()
