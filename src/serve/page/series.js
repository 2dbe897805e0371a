// Error, coverage, speed and growth over time.

const kMostPoints = 600;

/** Columns as they come from the server → one object for each point. */
function points_of(columns) {
  return columns.time.map((time, i) => ({ time, width: columns.seconds_per_point, speed: columns.rows_per_second[i],
    local_gps: columns.local_gps[i],
    outputs: columns.outputs.map((output) => ({ rmse: output.rmse[i], coverage: output.coverage[i], rows: output.interval_rows[i] })) }));
}

/** Puts newer points in the place of those they replace. What an earlier run of the server has told is kept. */
function join_points(old, added) {
  if (added.length === 0) return old;
  const kept = old.filter((point) => point.time < added[0].time);
  const last = kept[kept.length - 1];
  // A gap where nobody listened, so that no line crosses it.
  const gap = last && added[0].time - last.time > 3 * Math.max(last.width, added[0].width)
    ? [{ ...last, time: last.time + last.width, speed: null, local_gps: null, outputs: last.outputs.map(() => ({ rmse: null, coverage: null, rows: 0 })) }] : [];
  return [...kept, ...gap, ...added].slice(-kMostPoints);
}

/** Seconds since 1970 → what a date axis takes for local time. */
function local_time(seconds) {
  const date = new Date(seconds * 1000);
  return new Date(date.getTime() - date.getTimezoneOffset() * 60000).toISOString().slice(0, -1);
}

function time_axis(more = {}) {
  return axis('', { type: 'date', nticks: 6, hoverformat: '%H:%M:%S', tickformatstops: [
    { dtickrange: [null, 60000], value: '%H:%M:%S' }, { dtickrange: [60000, 86400000], value: '%H:%M' },
    { dtickrange: [86400000, null], value: '%e %b' }], ...more });
}

function draw_series(points, output, name) {
  const colour = colours();
  const x = points.map((point) => local_time(point.time));
  const column = (read) => points.map((point) => read(point, point.outputs[output] || {}) ?? null);
  const lines = points.length > 1 ? 'lines' : 'markers';
  const rmse = column((_, scores) => scores.rmse);
  const rows = column((_, scores) => scores.rows);
  const coverage = column((_, scores) => scores.coverage);
  const speed = column((point) => point.speed);
  const growth = column((point) => point.local_gps);
  const known = rmse.filter((value) => value !== null);

  describe('error', `RMSE of ${name} over time. Latest: ${figure(known[known.length - 1] ?? null)}.`);
  fill_table('error', ['time', 'RMSE'], points.map((point, i) => [clock(point.time), figure(rmse[i])]));
  const error = show('error', [
    { x, y: rmse, mode: lines === 'lines' ? 'lines+markers' : lines, showlegend: false, connectgaps: false,
      line: { color: colour.strong, width: 2 }, marker: { size: 3.5, color: colour.strong },
      hovertemplate: '%{x}<br>RMSE %{y:.4~g}<extra></extra>' },
  ], { xaxis: time_axis(), yaxis: known.length > 0 ? positive_axis('RMSE of ' + short(name, 24), known) : axis(''), uirevision: 'error' });

  // Where the coverage of a right model would be, 19 times out of 20.
  const wobble = rows.map((n) => (n > 0 ? 1.96 * Math.sqrt(0.95 * 0.05 / n) : null));
  // Only where there were rows: a filled band must not have gaps.
  const judged = x.map((_, i) => i).filter((i) => wobble[i] !== null);
  const band_x = judged.map((i) => x[i]);
  const edge = (sign) => judged.map((i) => Math.max(0, Math.min(1, 0.95 + sign * wobble[i])));
  const lowest = Math.min(0.8, ...coverage.filter((value) => value !== null));
  describe('coverage', `Share of rows inside their 95 % interval. Latest: ${percent(coverage.filter((value) => value !== null).pop() ?? null)}.`);
  fill_table('coverage', ['time', 'inside', 'rows'], points.map((point, i) => [clock(point.time), percent(coverage[i]), count(rows[i] ?? 0)]));
  const inside = show('coverage', [
    { x: band_x, y: edge(-1), mode: 'lines', line: { width: 0 }, hoverinfo: 'skip', showlegend: false },
    { x: band_x, y: edge(1), mode: 'lines', line: { width: 0 }, fill: 'tonexty', fillcolor: colour.band, hoverinfo: 'skip', showlegend: false },
    { x, y: coverage, mode: lines === 'lines' ? 'lines+markers' : lines, showlegend: false,
      line: { color: colour.strong, width: 2 }, marker: { size: 3.5, color: colour.strong }, customdata: rows,
      hovertemplate: '%{x}<br>%{y:.1%} of %{customdata:,d} rows inside<extra></extra>' },
  ], { xaxis: time_axis(), yaxis: axis('', { tickformat: '.0%', range: [Math.max(0, lowest - 0.02), 1.005] }), uirevision: 'coverage' });

  describe('speed', `Rows learned per second. Latest: ${figure(speed[speed.length - 1] ?? null, 3)}.`);
  fill_table('speed', ['time', 'rows/s'], points.map((point, i) => [clock(point.time), figure(speed[i], 3)]));
  const fast = show('speed', [
    { x, y: speed, mode: lines, showlegend: false, fill: 'tozeroy', fillcolor: colour.band, line: { color: colour.third, width: 1.8 },
      hovertemplate: '%{x}<br>%{y:.3~g} rows/s<extra></extra>' },
  ], { xaxis: time_axis(), yaxis: axis('', { rangemode: 'tozero' }), uirevision: 'speed' });

  describe('growth', `Number of local GPs over time. Latest: ${count(growth[growth.length - 1] ?? 0)}.`);
  fill_table('growth', ['time', 'local GPs'], points.map((point, i) => [clock(point.time), growth[i] === null ? '–' : count(growth[i])]));
  const grown = show('growth', [
    { x, y: growth, mode: lines, showlegend: false, line: { color: colour.third, width: 2.2, shape: 'hv' },
      hovertemplate: '%{x}<br>%{y:,d} local GPs<extra></extra>' },
  ], { xaxis: time_axis(), yaxis: count_axis('', Math.max(1, ...growth)), uirevision: 'growth' });
  return [error, inside, fast, grown];
}

/** For those who do not see the chart. */
function describe(id, text) {
  document.getElementById(id).setAttribute('aria-label', text);
}

function clock(seconds) {
  return new Date(seconds * 1000).toLocaleTimeString('en-GB');
}

/** The table behind a chart; it is made only while it is open, newest rows first. */
function fill_table(id, head, rows, is_out = () => false) {
  const details = document.querySelector(`details[data-table="${id}"]`);
  details.fill = () => {
    const table = document.createElement('table');
    const line = (cells, tag) => {
      const row = document.createElement('tr');
      cells.forEach((cell, i) => {
        const element = document.createElement(tag);
        element.textContent = cell;
        if (tag === 'th') element.scope = 'col';
        if (is_out(cells, i)) element.className = 'out';
        row.append(element);
      });
      return row;
    };
    table.append(document.createElement('thead'), document.createElement('tbody'));
    table.tHead.append(line(head, 'th'));
    table.tBodies[0].append(...rows.slice(-200).reverse().map((cells) => line(cells, 'td')));
    let box = details.querySelector('.scroll');
    if (!box) {
      box = document.createElement('div');
      box.className = 'scroll';
      box.tabIndex = 0; // so that a keyboard can scroll it
      details.append(box);
    }
    const top = box.scrollTop;
    box.replaceChildren(table);
    box.scrollTop = top;
  };
  if (details.open) details.fill();
}
