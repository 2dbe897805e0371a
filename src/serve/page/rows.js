// The latest rows: what was expected, and what came.

const kMostRows = 160;

/** Columns as they come from the server → one object for each row. */
function rows_of_columns(columns) {
  return columns.sequence.map((sequence, i) => ({ sequence, time: columns.time[i], known: columns.interval_known[i],
    outlier: columns.outlier[i], rejected: columns.rejected[i],
    outputs: columns.outputs.map((output) => ({ observed: output.observed[i], mean: output.mean[i],
      lower: output.lower[i], upper: output.upper[i], z: output.z[i] })) }));
}

/** Rows are told more than once; a number that comes again is the newer one. */
function join_rows(old, added) {
  if (added.length === 0) return old;
  return [...old.filter((row) => row.sequence < added[0].sequence), ...added].slice(-kMostRows);
}

function is_inside(row, output) {
  const one = row.outputs[output];
  return one.lower <= one.observed && one.observed <= one.upper;
}

function draw_rows(rows, output, name) {
  const colour = colours();
  const judged = rows.filter((row) => row.known);
  const inside = judged.filter((row) => is_inside(row, output)).length;
  document.getElementById('rows-note').textContent = rows.length === 0 ? 'No row has been learned since the server started.'
    : judged.length === 0 ? 'There are no intervals before the first training.'
      : `${count(inside)} of the last ${count(judged.length)} rows came where the model expected them; 95 % should.`;
  describe('latest', `The last ${rows.length} rows of ${name} with their intervals: ${inside} of ${judged.length} inside.`);
  fill_table('latest', ['row', 'time', 'observed', 'predicted', 'from', 'to', 'z', 'inside'], rows.map((row) => {
    const one = row.outputs[output];
    return [count(row.sequence + 1), clock(row.time), figure(one.observed, 5), figure(one.mean, 5),
      row.known ? figure(one.lower, 5) : '–', row.known ? figure(one.upper, 5) : '–', figure(one.z, 3),
      !row.known ? '–' : is_inside(row, output) ? 'yes' : row.rejected ? 'no, rejected' : 'no'];
  }), (cells, i) => i === 7 && cells[7].startsWith('no'));

  // A narrow window has room for fewer bars.
  const shown = rows.slice(document.body.clientWidth < 700 ? -50 : -kMostRows);
  const expected = shown.filter((row) => row.known);
  const middle = (row) => (row.outputs[output].lower + row.outputs[output].upper) / 2;
  const came = (label, wanted, marker) => {
    const chosen = shown.filter((row) => (!row.known || is_inside(row, output)) === wanted);
    return { x: chosen.map((row) => row.sequence + 1), y: chosen.map((row) => row.outputs[output].observed), mode: 'markers', name: label, marker,
      customdata: chosen.map((row) => [row.outputs[output].mean, row.outputs[output].lower, row.outputs[output].upper]),
      hovertemplate: 'row %{x:,d}<br>observed %{y:.5~g}<br>predicted %{customdata[0]:.5~g}, from %{customdata[1]:.5~g} to %{customdata[2]:.5~g}<extra></extra>' };
  };
  const width = Math.max(2, Math.min(8, 0.7 * document.getElementById('latest').clientWidth / (shown.length + 1)));
  return [show('latest', [
    { x: expected.map((row) => row.sequence + 1), y: expected.map(middle), mode: 'markers', name: '95 % interval', hoverinfo: 'skip',
      marker: { color: colour.interval, size: width, symbol: 'square' },
      error_y: { type: 'data', array: expected.map((row) => row.outputs[output].upper - middle(row)), color: colour.interval, thickness: width, width: 0 } },
    { x: shown.map((row) => row.sequence + 1), y: shown.map((row) => row.outputs[output].mean), mode: 'markers', name: 'predicted',
      marker: { symbol: 'line-ew-open', color: colour.strong, size: width, line: { width: 1.5, color: colour.strong } }, hoverinfo: 'skip' },
    came('came inside', true, { color: colour.third, size: 5.5 }),
    came('came outside', false, { color: colour.accent, size: 8, symbol: 'diamond' }),
  ], { xaxis: axis('row', { tickformat: ',d', nticks: 6 }), yaxis: axis(short(name, 24)), uirevision: 'latest' })];
}
