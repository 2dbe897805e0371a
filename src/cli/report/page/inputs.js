// Relevance of inputs, and how the length scales came about.

const kMostBars = 30;

/** Numbers of the inputs, the most relevant first. */
function by_relevance(data) {
  return data.inputs.map((_, k) => k).sort((a, b) => data.inputs[b].relevance - data.inputs[a].relevance);
}

function draw_inputs(data) {
  const colour = colours();
  const order = by_relevance(data);
  const bars = order.slice(0, kMostBars).reverse();
  // Ticks are numbers with names beside them, so that equal or shortened names stay apart.
  const place = bars.map((_, i) => i);
  // One or two bars need not fill the chart.
  const middle = (bars.length - 1) / 2;
  const room = Math.max(bars.length, 5) / 2;
  document.getElementById('relevance').style.height = `${Math.max(18, 4 + 1.5 * bars.length)}rem`;
  const relevance = show('relevance', [
    { x: bars.map((k) => data.inputs[k].relevance), y: place, type: 'bar', orientation: 'h', showlegend: false,
      marker: { color: colour.strong }, text: bars.map((k) => percent(data.inputs[k].relevance)),
      textposition: 'auto', insidetextfont: { color: colour.card }, cliponaxis: false,
      customdata: bars.map((k) => [plain(data.inputs[k].name), data.inputs[k].length_scale, data.inputs[k].spread]),
      hovertemplate: '%{customdata[0]}<br>length scale %{customdata[1]:.4~g}<br>spread %{customdata[2]:.4~g}<extra></extra>' },
  ], { xaxis: axis('', { tickformat: '.0%', rangemode: 'tozero', nticks: 6 }),
    yaxis: axis('', { tickvals: place, ticktext: bars.map((k) => short(data.inputs[k].name)), showgrid: false,
      range: [middle - room, middle + room] }),
    bargap: 0.3 });
  return [relevance, draw_length_scales(data, order, colour)];
}

function draw_length_scales(data, order, colour) {
  const trainings = data.trainings;
  const x = trainings.map((training) => training.sequence);
  const traces = order.slice(0, colour.palette.length).filter((k) => data.inputs[k].spread > 0).map((k, i) => ({
    x, y: trainings.map((training) => training.length_scale[k] / data.inputs[k].spread),
    name: short(data.inputs[k].name, 12), mode: 'lines+markers', line: { color: colour.palette[i], width: 1.8 }, marker: { size: 5 },
    customdata: trainings.map((training) => [training.kernel, training.length_scale[k], training.noise_share]),
    hovertemplate: `${plain(data.inputs[k].name)} at %{x:,d} observations<br>length scale %{customdata[1]:.4~g}` +
      '<br>kernel %{customdata[0]}<br>noise %{customdata[2]:.2%} of the variance<extra></extra>',
  }));
  if (trainings.length === 0) {
    return show('length_scales', [], { xaxis: { visible: false }, yaxis: { visible: false },
      annotations: [{ text: 'There was no training.', showarrow: false, font: { color: colour.muted, size: 14 } }] });
  }
  return show('length_scales', traces, {
    xaxis: axis('observations', { type: 'log', tickformat: ',~r', dtick: 1 }),
    yaxis: positive_axis('length scale / spread', traces.flatMap((trace) => trace.y)) });
}
