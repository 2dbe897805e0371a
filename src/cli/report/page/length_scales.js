// How the length scales came about.

function draw_length_scales(data) {
  const colour = colours();
  const order = by_relevance(data);
  const trainings = data.trainings;
  const x = trainings.map((training) => training.observation);
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
