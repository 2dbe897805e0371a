// A sample of predictions against what came, and whether their intervals are right.

function draw_predictions(data, output) {
  const sample = data.stream.sample;
  const { observed, mean, half_width: bars, level } = sample.outputs[output];
  const name = short(data.outputs[output].name, 24);
  const colour = colours();
  document.getElementById('predictions-note').textContent =
    `${count(sample.row.length)} rows drawn evenly from the whole stream after the first training. ` +
    'Bars are 95 % intervals, the noise of an observation included.';

  const finite = observed.concat(mean).filter((value) => value !== null);
  const low = finite.length > 0 ? Math.min(...finite) : 0;
  const high = finite.length > 0 ? Math.max(...finite) : 1;
  const margin = 0.05 * (high - low) || 1;
  const range = [low - margin, high + margin];
  const truth = show('truth', [
    { x: observed, y: mean, mode: 'markers', showlegend: false, customdata: sample.row.map((row, i) => [row, bars[i]]),
      marker: { color: colour.strong, size: 5, opacity: 0.65 },
      error_y: { type: 'data', array: bars, color: colour.bar, thickness: 1, width: 0 },
      hovertemplate: 'row %{customdata[0]:,d}<br>observed %{x:.5~g}<br>predicted %{y:.5~g} ± %{customdata[1]:.3~g}<extra></extra>' },
    { x: range, y: range, mode: 'lines', showlegend: false, hoverinfo: 'skip',
      line: { color: colour.accent, width: 1.5, dash: 'dash' } },
  ], { xaxis: axis('observed ' + name, { range }), yaxis: axis('predicted ' + name, { range }) });

  // Where an error lies in its own predicted distribution, as if that were normal.
  const scores = level.map((p, i) => Math.sign(observed[i] - mean[i]) * normal_half_width(p))
    .filter((_, i) => level[i] !== null);
  return [truth, draw_residuals(scores, colour), draw_calibration(level.filter((p) => p !== null), colour)];
}

function draw_residuals(scores, colour) {
  const end = 5;
  const density = Array.from({ length: 121 }, (_, i) => -end + i * end / 60);
  return show('residuals', [
    { x: scores.map((value) => Math.max(-end + 0.01, Math.min(end - 0.01, value))), type: 'histogram',
      histnorm: 'probability density', xbins: { start: -end, end, size: 0.4 }, name: 'rows',
      marker: { color: colour.strong, opacity: 0.6 },
      hovertemplate: '%{x}: %{y:.3f}<extra></extra>' },
    { x: density, y: density.map((z) => Math.exp(-z * z / 2) / Math.sqrt(2 * Math.PI)), mode: 'lines',
      name: 'right: as predicted', line: { color: colour.accent, width: 2 }, hoverinfo: 'skip' },
  ], { xaxis: axis('error on that scale (±5 and beyond)', { range: [-end, end] }),
    yaxis: axis('density', { rangemode: 'tozero' }), bargap: 0.05 });
}

function draw_calibration(level, colour) {
  // An error is inside all intervals whose level is above its own.
  const levels = [...level].sort((a, b) => a - b);
  const n = levels.length;
  const nominal = Array.from({ length: 101 }, (_, i) => i / 100);
  let inside = 0;
  const actual = nominal.map((level) => {
    while (inside < n && levels[inside] <= level) ++inside;
    return n > 0 ? inside / n : null;
  });
  const edge = (sign) => nominal.map((p) => p + sign * 1.96 * Math.sqrt(p * (1 - p) / Math.max(n, 1)));
  return show('calibration', [
    { x: nominal, y: edge(-1), mode: 'lines', line: { width: 0 }, hoverinfo: 'skip', showlegend: false },
    { x: nominal, y: edge(1), mode: 'lines', line: { width: 0 }, fill: 'tonexty', fillcolor: colour.band,
      hoverinfo: 'skip', name: 'where chance alone would put it' },
    { x: [0, 1], y: [0, 1], mode: 'lines', hoverinfo: 'skip', showlegend: false,
      line: { color: colour.accent, width: 1.5, dash: 'dash' } },
    { x: nominal, y: actual, mode: 'lines', name: 'this model', line: { color: colour.strong, width: 2.2 },
      hovertemplate: '%{x:.0%} intervals cover %{y:.1%}<extra></extra>' },
  ], { xaxis: axis('level of the interval', { tickformat: '.0%', range: [0, 1] }),
    yaxis: axis('rows inside', { tickformat: '.0%', range: [0, 1.005] }) });
}

/** Half of a normal distribution's central interval, to 4.5e-4 (Abramowitz and Stegun, 26.2.23). */
function normal_half_width(level) {
  const t = Math.sqrt(-2 * Math.log(Math.max((1 - level) / 2, 1e-300)));
  return Math.max(0, t - (2.515517 + t * (0.802853 + t * 0.010328)) /
    (1 + t * (1.432788 + t * (0.189269 + t * 0.001308))));
}
