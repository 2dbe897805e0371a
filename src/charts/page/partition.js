// The partition: a map of two inputs, or the function itself if there is only one.

/** Outlines of all cells as one line with gaps. */
function outlines(cells) {
  const x = [];
  const y = [];
  for (const cell of cells) {
    x.push(...cell.x, cell.x[0], null);
    y.push(...cell.y, cell.y[0], null);
  }
  return { x, y };
}

/** A grid is stored row by row. */
function rows_of(values, width) {
  return Array.from({ length: values.length / width }, (_, i) => values.slice(i * width, (i + 1) * width));
}

function describe_slice(data, map) {
  const others = data.inputs.map((input, k) => [input.name, data.partition.median[k], k])
    .filter(([, , k]) => !map.inputs.includes(k));
  // Only between numbers cells are polygons that can be drawn.
  const cut = map.cells.length === 0 ? '' : `${count(map.cells.length)} of ${count(data.local_gps.owned.length)} cells lie here. `;
  if (others.length === 0) return cut + 'An observation is learned by the local GP of the cell it falls into.';
  const value = (median) => (typeof median === 'number' ? figure(median) : median);
  const shown = others.slice(0, 8).map(([name, median]) => `${name} ${value(median)}`).join(', ');
  return `The other inputs are at their medians (${shown}${others.length > 8 ? ', …' : ''}). ${cut}` +
    'Centers and observations are shown where they are in these two inputs, whatever their others: ' +
    'a center may lie outside its cell’s cut, and an observation may be far away.';
}

/** The axis of a column: numbers, dates, or the levels of a category. */
function column_axis(input, values, more) {
  const title = short(input.name, 40);
  if (input.axis === 'category') return axis(title, { type: 'category', range: [-0.5, values.length - 0.5], ...more });
  const range = [values[0], values[values.length - 1]];
  return axis(title, input.axis === 'time' && typeof values[0] === 'string' ? { type: 'date', range, ...more } : { range, ...more });
}

/** How a hover text shows a value on an axis. */
function place_of(input, letter) {
  return input.axis === 'number' ? `%{${letter}:.4~g}` : `%{${letter}}`;
}

function draw_map(data, output, pair) {
  const map = data.partition.maps[pair];
  const [a, b] = map.inputs;
  const colour = colours();
  const name = short(data.outputs[output].name, 20);
  const { mean, sd } = map.outputs[output];
  const width = map.x.length;
  const local = rows_of(map.local_gp, width);
  document.getElementById('partition-note').textContent = describe_slice(data, map);

  const levels = [a, b].some((k) => data.inputs[k].axis === 'category');
  const names = [plain(data.inputs[a].name), plain(data.inputs[b].name)];
  const heat = (z, other, what, more) => ({
    type: 'heatmap', x: map.x, y: map.y, z: rows_of(z, width), zsmooth: levels ? false : 'best', showlegend: false,
    customdata: rows_of(other, width).map((row, i) => row.map((value, j) => [value, local[i][j]])),
    colorbar: { thickness: 12, outlinewidth: 0, tickfont: { size: 11 }, title: { text: what, side: 'right' }, nticks: 7 },
    ...more });
  const place = `${names[0]} ${place_of(data.inputs[a], 'x')}<br>${names[1]} ${place_of(data.inputs[b], 'y')}<br>`;
  const cells = (line) => ({ ...outlines(map.cells), mode: 'lines', showlegend: false, hoverinfo: 'skip', line });
  const layout = {
    xaxis: column_axis(data.inputs[a], map.x, { showgrid: false }),
    yaxis: column_axis(data.inputs[b], map.y, { showgrid: false }) };

  const surface = show('surface', [
    heat(mean, sd, name, { colorscale: 'Viridis',
      hovertemplate: place + `${name} %{z:.4~g}, sd %{customdata[0]:.3~g}<br>local GP %{customdata[1]}<extra></extra>` }),
    cells({ color: 'rgba(255,255,255,0.85)', width: 1.2 }),
    ...centers_of(data, map),
  ], layout);
  const uncertainty = show('uncertainty', [
    heat(sd, mean, 'sd of ' + name, {
      colorscale: [[0, colour.sure], [0.5, colour.between], [1, colour.unsure]],
      hovertemplate: place + `${name} %{customdata[0]:.4~g}, sd %{z:.3~g}<br>local GP %{customdata[1]}<extra></extra>` }),
    cells({ color: colour.bar, width: 1 }),
    { x: data.partition.observations.inputs[a], y: data.partition.observations.inputs[b], mode: 'markers',
      name: 'some observations', hoverinfo: 'skip', marker: { color: colour.strong, size: 3.5, opacity: 0.55 } },
  ], layout);
  return [surface, uncertainty];
}

/** Centers whose cells are seen stand out from those before and behind. */
function centers_of(data, map) {
  const x = data.partition.centers[map.inputs[0]];
  const y = data.partition.centers[map.inputs[1]];
  // A center has no place on the axis of a category: it lies between the levels.
  if ([...x, ...y].some((value) => value === null)) return [];
  const seen = new Set(map.cells.length > 0 ? map.cells.map((cell) => cell.local_gp) : map.local_gp);
  const trace = (name, marker, wanted) => {
    const chosen = x.map((_, i) => i).filter((i) => seen.has(i) === wanted);
    return { x: chosen.map((i) => x[i]), y: chosen.map((i) => y[i]), mode: 'markers', name, marker,
      customdata: chosen.map((i) => [i, data.local_gps.owned[i]]),
      hovertemplate: 'local GP %{customdata[0]}<br>owns %{customdata[1]} observations<extra></extra>' };
  };
  const traces = [
    trace('centers of other cells', { color: 'rgba(200,200,200,0.7)', size: 4, line: { color: 'rgba(0,0,0,0.5)', width: 0.7 } }, false),
    trace('centers', { color: '#ffffff', size: 8, line: { color: '#000000', width: 1.3 } }, true),
  ];
  return traces.filter((one) => one.x.length > 0);
}

function draw_line(data, output) {
  const line = data.partition.line;
  const colour = colours();
  const { mean, sd, observation_sd, half_width } = line.outputs[output];
  const name = short(data.outputs[output].name, 24);
  const x = line.x;
  document.getElementById('partition-note').textContent =
    `${count(data.local_gps.owned.length)} cells; dotted lines are their edges. ` +
    'The inner band is the function’s 95 % interval, the outer one that of an observation.';
  const band = (width, fillcolor, label) => [
    { x, y: mean.map((value, i) => value - half_width * width[i]), mode: 'lines', line: { width: 0 }, hoverinfo: 'skip', showlegend: false },
    { x, y: mean.map((value, i) => value + half_width * width[i]), mode: 'lines', line: { width: 0 }, fill: 'tonexty',
      fillcolor, hoverinfo: 'skip', name: label }];
  const edges = line.edges.map((edge) => ({ type: 'line', xref: 'x', yref: 'paper', x0: edge, x1: edge, y0: 0, y1: 1,
    line: { color: colour.muted, width: 1, dash: 'dot' } }));
  return [show('line', [
    ...band(observation_sd, colour.band, '95 % of observations'),
    ...band(sd, colour.band, '95 % of the function'),
    { x: data.partition.observations.inputs[0], y: data.partition.observations.outputs[output], mode: 'markers',
      name: 'some observations', marker: { color: colour.muted, size: 4, opacity: 0.7 },
      hovertemplate: 'observed %{y:.4~g} at %{x:.4~g}<extra></extra>' },
    { x, y: mean, mode: 'lines', name: 'predicted', customdata: sd, line: { color: colour.accent, width: 2.2 },
      hovertemplate: 'at %{x:.4~g}: %{y:.4~g}, sd %{customdata:.3~g}<extra></extra>' },
  ], { xaxis: column_axis(data.inputs[0], x, {}), yaxis: axis(name), shapes: edges })];
}
