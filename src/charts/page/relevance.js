// Relevance of inputs.

const kMostBars = 30;

/** Numbers of the inputs, the most relevant first. */
function by_relevance(data) {
  return data.inputs.map((_, k) => k).sort((a, b) => data.inputs[b].relevance - data.inputs[a].relevance);
}

function draw_relevance(data) {
  const colour = colours();
  const order = by_relevance(data);
  const bars = order.slice(0, kMostBars).reverse();
  // Ticks are numbers with names beside them, so that equal or shortened names stay apart.
  const place = bars.map((_, i) => i);
  // One or two bars need not fill the chart.
  const middle = (bars.length - 1) / 2;
  const room = Math.max(bars.length, 5) / 2;
  document.getElementById('relevance').style.height = `${Math.max(18, 4 + 1.5 * bars.length)}rem`;
  return show('relevance', [
    { x: bars.map((k) => data.inputs[k].relevance), y: place, type: 'bar', orientation: 'h', showlegend: false,
      marker: { color: colour.strong }, text: bars.map((k) => percent(data.inputs[k].relevance)),
      textposition: 'auto', insidetextfont: { color: colour.card }, cliponaxis: false,
      customdata: bars.map((k) => [plain(data.inputs[k].name), data.inputs[k].length_scale, data.inputs[k].spread]),
      hovertemplate: '%{customdata[0]}<br>length scale %{customdata[1]:.4~g}<br>spread %{customdata[2]:.4~g}<extra></extra>' },
  ], { xaxis: axis('', { tickformat: '.0%', rangemode: 'tozero', nticks: 6 }),
    yaxis: axis('', { tickvals: place, ticktext: bars.map((k) => short(data.inputs[k].name)), showgrid: false,
      range: [middle - room, middle + room] }),
    bargap: 0.3 });
}
