# The pages with charts, those of `splitgp report` and of `splitgp serve`: their parts are gathered in
# one folder of the build tree each, so that C++ can embed them. Both have the same charting library,
# which comes from npm when the command is built: the lock file says which version and what it hashes
# to. It is embedded once, compressed.
set(SPLITGP_PLOTLY "" CACHE PATH
    "Folder of an unpacked plotly.js-cartesian-dist-min, for a build without npm and network")

# Call these where the files that embed are compiled.

# splitgp_embed(SOURCE FOLDER PART...): the assembler reads the parts behind the compiler's back.
function(splitgp_embed source folder)
  set_source_files_properties(${source} PROPERTIES
    OBJECT_DEPENDS "${ARGN}"
    COMPILE_DEFINITIONS "SPLITGP_PARTS=\"${folder}\"")
endfunction()

function(splitgp_embed_charts)
  set(source ${CMAKE_CURRENT_SOURCE_DIR}/charts/page)
  set(parts ${CMAKE_CURRENT_BINARY_DIR}/charts)
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
      COMMENT "Fetching the charting library of the pages"
      VERBATIM)
  endif()
  find_program(SPLITGP_GZIP gzip REQUIRED)
  set(embedded ${parts}/library.js.gz ${parts}/licence.txt ${parts}/style.css)
  add_custom_command(OUTPUT ${embedded}
    # -n: no name and time, so that the same library gives the same bytes.
    COMMAND ${SPLITGP_GZIP} -9 -n -c ${plotly}/plotly-cartesian.min.js > ${parts}/library.js.gz
    COMMAND ${CMAKE_COMMAND} -E copy ${plotly}/LICENSE ${parts}/licence.txt
    COMMAND ${CMAKE_COMMAND} -E copy ${source}/style.css ${parts}
    DEPENDS ${plotly_from} ${source}/style.css
    VERBATIM)
  splitgp_embed(charts/embedded.cc ${parts} ${embedded})
endfunction()

# splitgp_join(OUTPUT FILE...): one file of several.
function(splitgp_join output)
  add_custom_command(OUTPUT ${output}
    COMMAND ${CMAKE_COMMAND} -E cat ${ARGN} > ${output}
    DEPENDS ${ARGN}
    VERBATIM)
endfunction()

function(splitgp_embed_report)
  set(shared ${CMAKE_CURRENT_SOURCE_DIR}/charts/page)
  set(own ${CMAKE_CURRENT_SOURCE_DIR}/cli/report/page)
  set(parts ${CMAKE_CURRENT_BINARY_DIR}/report)
  file(MAKE_DIRECTORY ${parts})
  # In this order: each uses those before it.
  splitgp_join(${parts}/charts.js ${shared}/plot.js ${shared}/relevance.js ${shared}/partition.js
    ${own}/stream.js ${own}/predictions.js ${own}/length_scales.js ${own}/local_gps.js ${own}/main.js)
  splitgp_join(${parts}/page.html ${own}/page.html)
  splitgp_embed(cli/report/page.cc ${parts} ${parts}/charts.js ${parts}/page.html)
endfunction()

function(splitgp_embed_live)
  set(shared ${CMAKE_CURRENT_SOURCE_DIR}/charts/page)
  set(own ${CMAKE_CURRENT_SOURCE_DIR}/serve/page)
  set(parts ${CMAKE_CURRENT_BINARY_DIR}/live)
  file(MAKE_DIRECTORY ${parts})
  splitgp_join(${parts}/live.js ${own}/policy.js ${shared}/plot.js ${shared}/relevance.js ${shared}/partition.js
    ${own}/series.js ${own}/rows.js ${own}/past.js ${own}/alarms.js ${own}/what_if.js ${own}/connection.js
    ${own}/main.js)
  splitgp_join(${parts}/live.css ${shared}/style.css ${own}/live.css)
  splitgp_join(${parts}/live.html ${own}/live.html)
  splitgp_embed(serve/live/assets.cc ${parts}
    ${parts}/live.js ${parts}/live.css ${parts}/live.html)
endfunction()
