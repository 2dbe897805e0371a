// What all charts share: colours, axes, numbers as text.

/** Colours of the page, which follow the reader's choice of light or dark. */
function colours() {
  const style = getComputedStyle(document.documentElement);
  const names = ['card', 'text', 'muted', 'line', 'strong', 'accent', 'third', 'band', 'bar', 'interval',
    'sure', 'between', 'unsure', 'palette'];
  const all = Object.fromEntries(names.map((name) => [name, style.getPropertyValue('--' + name).trim()]));
  return { ...all, palette: all.palette.split(/\s+/) };
}

/** Names may hold anything; Plotly would take "<b>" for markup. */
function plain(text) {
  return String(text).replace(/&/g, '&amp;').replace(/</g, '&lt;').replace(/>/g, '&gt;');
}

/** A long name is shortened where it would push the chart aside. */
function short(text, most = 18) {
  const all = Array.from(String(text));
  return plain(all.length > most ? all.slice(0, most - 1).join('') + '…' : text);
}

/** 1234.5 → "1,235"; 0.01234 → "0.0123". */
function figure(number, digits = 4) {
  if (number === null || number === undefined) return '–';
  const size = Math.abs(number);
  if (size >= 1e6 || (size > 0 && size < 1e-4)) return number.toExponential(2);
  return number.toLocaleString('en', { maximumSignificantDigits: size >= 1e4 ? 9 : digits,
    maximumFractionDigits: size >= 1e4 ? 0 : 20 });
}

function count(number) {
  return number.toLocaleString('en');
}

function percent(share) {
  return share === null ? '–' : (100 * share).toFixed(1) + ' %';
}

function axis(title, more = {}) {
  const colour = colours();
  return { title: { text: title, standoff: 8 }, gridcolor: colour.line, linecolor: colour.line,
    zeroline: false, automargin: true, nticks: 7, ...more };
}

/** Counts of rows or observations. */
function rows_axis(title, more = {}) {
  return axis(title, { tickformat: ',d', nticks: 6, rangemode: 'tozero', ...more });
}

/** Counts from 0 to `most`: whole numbers only. */
function count_axis(title, most) {
  const rough = Math.max(1, most / 6);
  const decade = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].find((digit) => digit * decade >= rough) * decade;
  return axis(title, { rangemode: 'tozero', tick0: 0, dtick: step, tickformat: ',d' });
}

/** How many times the largest of the positive values is the smallest. */
function ratio_of(values) {
  const positive = values.filter((value) => value > 0);
  return Math.max(...positive) / Math.min(...positive);
}

/** With full numbers on it. A decade or two leaves room for 1, 2, 5; more do not. */
function log_axis(title, values, more = {}) {
  return axis(title, { type: 'log', dtick: ratio_of(values) > 300 ? 1 : 'D2', tickformat: ',~g', ...more });
}

/** Logarithmic where orders of magnitude are to be seen. */
function positive_axis(title, values) {
  return ratio_of(values) > 15 ? log_axis(title, values) : axis(title, { rangemode: 'tozero' });
}

/** A finger scrolls the page and must not zoom a chart; nor is there room for tools. */
const kTouch = matchMedia('(hover: none)').matches;

/** A page that redraws itself all the time says so (data-tools="none"): tools would be in the way. */
const kTools = kTouch || document.documentElement.dataset.tools === 'none' ? false : 'hover';

/** Draws into the element called `id`; answers when it is drawn. */
function show(id, traces, layout) {
  const colour = colours();
  return Plotly.react(id, traces, {
    paper_bgcolor: 'rgba(0,0,0,0)',
    plot_bgcolor: 'rgba(0,0,0,0)',
    font: { family: getComputedStyle(document.body).fontFamily, size: 12, color: colour.text },
    margin: { l: 48, r: 14, t: 8, b: 40 },
    hoverlabel: { bgcolor: colour.card, bordercolor: colour.line, font: { color: colour.text } },
    legend: { orientation: 'h', x: 0, y: 1.02, yanchor: 'bottom', bgcolor: 'rgba(0,0,0,0)' },
    modebar: { bgcolor: 'rgba(0,0,0,0)', color: colour.muted, activecolor: colour.strong },
    hovermode: 'closest',
    dragmode: kTouch ? false : 'zoom',
    autosize: true,
    ...layout,
  }, {
    responsive: true,
    displaylogo: false,
    displayModeBar: kTools,
    modeBarButtonsToRemove: ['select2d', 'lasso2d', 'zoomIn2d', 'zoomOut2d', 'autoScale2d'],
  });
}

/** In place of a section's charts: why there are none. */
function replace_by_note(section, text) {
  for (const part of document.querySelectorAll(`#${section} > :not(h2)`)) part.remove();
  const note = document.createElement('p');
  note.className = 'note';
  note.textContent = text;
  document.getElementById(section).append(note);
}
