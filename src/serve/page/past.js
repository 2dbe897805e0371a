// What the file tells of the rows that were learned before the server started, by their numbers.

function draw_past(past, output, name) {
  document.getElementById('past').hidden = !past;
  if (!past) return [];
  const colour = colours();
  const x = past.last_row;
  const scores = past.outputs[output];
  const rows = count(past.rows);
  const mode = x.length > 1 ? 'lines' : 'markers';
  document.getElementById('past-note').textContent =
    `${rows} rows were learned before this start. Each was predicted before it was learned.`;
  const known = scores.rmse.filter((value) => value !== null);
  const row_axis = (more = {}) => axis('row', { tickformat: ',d', nticks: 6, rangemode: 'tozero', ...more });

  describe('past-error', `RMSE of ${name} over the first ${rows} rows. Latest: ${figure(known[known.length - 1] ?? null)}.`);
  fill_table('past-error', ['to row', 'RMSE'], x.map((row, i) => [count(row), figure(scores.rmse[i])]));
  const error = show('past-error', [
    { x, y: scores.rmse, mode, showlegend: false, line: { color: colour.strong, width: 1.8 },
      hovertemplate: 'rows to %{x:,d}<br>RMSE %{y:.4~g}<extra></extra>' },
  ], { xaxis: row_axis(), yaxis: known.length > 0 ? positive_axis('RMSE of ' + short(name, 24), known) : axis('') });

  const judged = scores.coverage.filter((value) => value !== null);
  describe('past-coverage', `Share of rows inside their 95 % interval. Latest: ${percent(judged[judged.length - 1] ?? null)}.`);
  fill_table('past-coverage', ['to row', 'inside', 'rows'], x.map((row, i) => [count(row), percent(scores.coverage[i]), count(scores.interval_rows[i])]));
  const coverage = show('past-coverage', [
    { x, y: scores.coverage, mode, showlegend: false, connectgaps: false, line: { color: colour.strong, width: 1.8 },
      customdata: scores.interval_rows, hovertemplate: 'rows to %{x:,d}<br>%{y:.1%} of %{customdata:,d} rows inside<extra></extra>' },
  ], { xaxis: row_axis(), yaxis: axis('', { tickformat: '.0%', range: [Math.max(0, Math.min(0.8, ...judged) - 0.02), 1.005] }) });

  describe('past-growth', `Number of local GPs over the first ${rows} rows. Latest: ${count(past.local_gps[x.length - 1])}.`);
  fill_table('past-growth', ['to row', 'local GPs'], x.map((row, i) => [count(row), count(past.local_gps[i])]));
  const growth = show('past-growth', [
    { x, y: past.local_gps, mode, showlegend: false, line: { color: colour.third, width: 2.2, shape: 'hv' },
      hovertemplate: 'row %{x:,d}<br>%{y:,d} local GPs<extra></extra>' },
  ], { xaxis: row_axis(), yaxis: count_axis('', Math.max(1, ...past.local_gps)) });
  return [error, coverage, growth];
}
