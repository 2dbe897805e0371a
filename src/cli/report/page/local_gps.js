// Sizes of the local GPs, and the splits that made them.

function draw_local_gps(data) {
  const colour = colours();
  const { owned, borrowed } = data.local_gps;
  const { observation, depth, larger_share } = data.splits;
  const sum = (values) => values.reduce((a, b) => a + b, 0);
  let note = `A local GP that owns more than ${count(data.split_limit)} observations is split in two. ` +
    `On average one owns ${figure(sum(owned) / owned.length, 3)} and borrows ${figure(sum(borrowed) / owned.length, 3)} more.`;
  if (observation.length > 0) {
    note += ` The larger part of a split got ${(100 * sum(larger_share) / larger_share.length).toFixed(0)} % on average.`;
  }
  document.getElementById('local-gps-note').textContent = note;

  // Bins end at the limit: a local GP that is full belongs to the last.
  const limit = data.split_limit;
  const width = Math.ceil(limit / 20);
  const bins = new Array(Math.ceil(limit / width)).fill(0);
  const top = (i) => limit - (bins.length - 1 - i) * width;
  for (const size of owned) bins[bins.length - 1 - Math.floor((limit - size) / width)] += 1;
  const sizes = show('sizes', [
    { x: bins.map((_, i) => top(i) - width / 2), y: bins, type: 'bar', width, showlegend: false,
      customdata: bins.map((_, i) => [Math.max(1, top(i) - width + 1), top(i)]),
      marker: { color: colour.strong, line: { color: colour.card, width: 1 } },
      hovertemplate: '%{y:,d} own %{customdata[0]} to %{customdata[1]}<extra></extra>' },
  ], { xaxis: axis('observations owned', { range: [0, limit * 1.06], tickformat: ',d', nticks: 6 }),
    yaxis: count_axis('local GPs', Math.max(...bins)),
    shapes: [{ type: 'line', xref: 'x', yref: 'paper', x0: limit, x1: limit, y0: 0, y1: 1,
      line: { color: colour.accent, width: 1.5, dash: 'dash' } }] });

  // From one local GP at the first observation to all of them now.
  const growth = show('growth', [
    { x: [0, ...observation, data.seen], y: [1, ...observation.map((_, i) => i + 2), observation.length + 1],
      mode: 'lines', showlegend: false, line: { color: colour.third, width: 2.2, shape: 'hv' },
      hovertemplate: '%{y:,d} local GPs at %{x:,d} observations<extra></extra>' },
  ], { xaxis: rows_axis('observations', { nticks: 5 }), yaxis: count_axis('local GPs', observation.length + 1) });

  const deepest = Math.max(0, ...depth);
  const depths = show('depth', [
    { x: observation, y: depth, mode: 'markers', showlegend: false, marker: { color: colour.strong, size: 6, opacity: 0.6 },
      customdata: larger_share,
      hovertemplate: 'at observation %{x:,d}, depth %{y}<br>the larger part got %{customdata:.0%}<extra></extra>' },
  ], { xaxis: rows_axis('observations', { range: [0, data.seen * 1.03], nticks: 5 }),
    yaxis: axis('splits before it', { range: [-0.5, deepest + 0.5], dtick: Math.max(1, Math.ceil(deepest / 8)) }) });
  return [sizes, growth, depths];
}
