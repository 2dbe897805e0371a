# Installs the systemd unit with the path of the command that is installed beside it.
if(IS_ABSOLUTE "${SPLITGP_BINDIR}")
  set(SPLITGP_COMMAND "${SPLITGP_BINDIR}/splitgp")
else()
  # CMake makes a relative prefix absolute only where it needs to.
  get_filename_component(prefix "${CMAKE_INSTALL_PREFIX}" ABSOLUTE)
  set(SPLITGP_COMMAND "${prefix}/${SPLITGP_BINDIR}/splitgp")
endif()
configure_file("${SPLITGP_UNIT_IN}" "${SPLITGP_UNIT_OUT}" @ONLY)
file(INSTALL "${SPLITGP_UNIT_OUT}" DESTINATION "${CMAKE_INSTALL_PREFIX}/${SPLITGP_UNIT_DIR}")
