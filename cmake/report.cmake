# The parts of the page that `splitgp report` writes, gathered in one folder of the build tree so
# that cli/report/page.cc can embed them. The charting library comes from npm when the command is
# built: the lock file says which version and what it hashes to.
set(SPLITGP_PLOTLY "" CACHE PATH
    "Folder of an unpacked plotly.js-cartesian-dist-min, for a build without npm and network")

# Call it where cli/report/page.cc is compiled.
function(splitgp_embed_report)
  set(source ${CMAKE_CURRENT_SOURCE_DIR}/cli/report/page)
  set(parts ${CMAKE_CURRENT_BINARY_DIR}/report)
  # In this order: each uses those before it.
  foreach(script plot stream predictions inputs partition local_gps main)
    list(APPEND scripts ${source}/${script}.js)
  endforeach()
  file(MAKE_DIRECTORY ${parts})

  if(SPLITGP_PLOTLY)
    set(plotly ${SPLITGP_PLOTLY})
    set(plotly_from ${plotly}/plotly-cartesian.min.js ${plotly}/LICENSE)
  else()
    find_program(SPLITGP_NPM npm REQUIRED)
    set(plotly ${parts}/node_modules/plotly.js-cartesian-dist-min)
    set(plotly_from ${parts}/npm.stamp)
    set(manifest ${source}/package.json ${source}/package-lock.json)
    add_custom_command(OUTPUT ${plotly_from}
      COMMAND ${CMAKE_COMMAND} -E copy ${manifest} ${parts}
      COMMAND ${CMAKE_COMMAND} -E chdir ${parts}
              ${SPLITGP_NPM} ci --ignore-scripts --no-audit --no-fund --prefer-offline --silent
      COMMAND ${CMAKE_COMMAND} -E touch ${plotly_from}
      DEPENDS ${manifest}
      COMMENT "Fetching the charting library of splitgp report"
      VERBATIM)
  endif()

  set(embedded ${parts}/library.js ${parts}/licence.txt ${parts}/charts.js ${parts}/page.html
               ${parts}/style.css)
  add_custom_command(OUTPUT ${embedded}
    COMMAND ${CMAKE_COMMAND} -E copy ${plotly}/plotly-cartesian.min.js ${parts}/library.js
    COMMAND ${CMAKE_COMMAND} -E copy ${plotly}/LICENSE ${parts}/licence.txt
    COMMAND ${CMAKE_COMMAND} -E copy ${source}/page.html ${source}/style.css ${parts}
    COMMAND ${CMAKE_COMMAND} -E cat ${scripts} > ${parts}/charts.js
    DEPENDS ${plotly_from} ${scripts} ${source}/page.html ${source}/style.css
    VERBATIM)
  # The assembler reads the parts behind the compiler's back.
  set_source_files_properties(cli/report/page.cc PROPERTIES
    OBJECT_DEPENDS "${embedded}"
    COMPILE_DEFINITIONS "SPLITGP_REPORT_PARTS=\"${parts}\"")
endfunction()
