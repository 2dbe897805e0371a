// Error and coverage over time.

function draw_stream(data, output) {
  const windows = data.stream.windows;
  const scores = windows.outputs[output];
  const name = plain(data.outputs[output].name);
  const colour = colours();
  const x = windows.last_row;
  const rows = x.map((row, i) => row - (i > 0 ? x[i - 1] : 0));
  const many = x.length > 1;

  // Each alarm on the curve of the rows in which it was raised.
  const alarms = data.alarms.filter((alarm) => alarm.output === output);
  const stretch = (alarm) => {
    const i = x.findIndex((row) => row > alarm.sequence);
    return i < 0 ? x.length - 1 : i;
  };
  const error = show('error', [
    { x, y: scores.rmse, name: 'of each stretch of rows', mode: many ? 'lines' : 'markers',
      customdata: rows, line: { color: colour.strong, width: 1.8 },
      hovertemplate: 'rows to %{x:,d}<br>RMSE of these %{customdata:,d}: %{y:.4~g}<extra></extra>' },
    { x, y: scores.rmse_so_far, name: 'of all rows so far', mode: many ? 'lines' : 'markers',
      line: { color: colour.accent, width: 2.4, dash: 'dot' },
      hovertemplate: 'RMSE of the first %{x:,d} rows: %{y:.4~g}<extra></extra>' },
    ...(alarms.length === 0 ? [] : [{ x: alarms.map((alarm) => alarm.sequence + 1),
      y: alarms.map((alarm) => scores.rmse[stretch(alarm)]), name: 'alarms: the stream has changed', mode: 'markers',
      marker: { color: colour.third, size: 10, symbol: 'triangle-down' },
      customdata: alarms.map((alarm) => [alarm.kind, alarm.size_in_noise, alarm.change_point + 1, alarm.local_gps]),
      hovertemplate: 'alarm at row %{x:,d}: %{customdata[0]} since row %{customdata[2]:,d}<br>by %{customdata[1]:.1f} noise ' +
        'standard deviations, in %{customdata[3]:,d} local GPs<extra></extra>' }]),
  ], { xaxis: rows_axis('rows learned'),
    yaxis: positive_axis('RMSE of ' + short(name, 24), scores.rmse.concat(scores.rmse_so_far)) });

  // Where the coverage of a right model would be, 19 times out of 20.
  const wobble = scores.interval_rows.map((n) => (n > 0 ? 1.96 * Math.sqrt(0.95 * 0.05 / n) : null));
  const edge = (sign) => wobble.map((w) => (w === null ? null : Math.min(1, 0.95 + sign * w)));
  const lowest = Math.min(0.8, ...scores.coverage.filter((value) => value !== null));
  const coverage = show('coverage', [
    { x, y: edge(-1), mode: 'lines', line: { width: 0 }, hoverinfo: 'skip', showlegend: false },
    { x, y: edge(1), mode: 'lines', line: { width: 0 }, fill: 'tonexty', fillcolor: colour.band,
      hoverinfo: 'skip', name: 'where chance alone would put it' },
    { x, y: scores.coverage, name: 'inside their interval', mode: many ? 'lines' : 'markers',
      line: { color: colour.strong, width: 2 },
      hovertemplate: 'rows to %{x:,d}<br>%{y:.1%} inside<extra></extra>' },
  ], { xaxis: rows_axis('rows learned'),
    yaxis: axis('rows inside', { tickformat: '.0%', range: [Math.max(0, lowest - 0.02), 1.005] }) });

  const range = robust_range(scores.nlpd);
  const cut = range !== undefined && scores.nlpd.some((value) => value > range[1]);
  const nlpd = show('nlpd', [
    { x, y: scores.nlpd, mode: many ? 'lines' : 'markers', showlegend: false,
      line: { color: colour.third, width: 2 },
      hovertemplate: 'rows to %{x:,d}<br>NLPD %{y:.3f}<extra></extra>' },
  ], { xaxis: rows_axis('rows learned'), yaxis: axis(cut ? 'nats (peaks are cut off)' : 'nats', { range }) });
  return [error, coverage, nlpd];
}

/** A first wild guess must not flatten all the rest: the worst twentieth may be cut off. */
function robust_range(values) {
  const sorted = values.filter((value) => value !== null).sort((a, b) => a - b);
  if (sorted.length === 0) return undefined;
  const low = sorted[0];
  const high = sorted[Math.floor(0.95 * (sorted.length - 1))];
  const top = sorted[sorted.length - 1];
  const margin = 0.08 * (high - low) || 0.5;
  return [low - margin, (top - low > 4 * (high - low) ? high : top) + margin];
}
