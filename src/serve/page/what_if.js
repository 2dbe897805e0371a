// The form "what if": inputs that a person chooses, and what the model answers.

const kMostFields = 24;

/** What the form holds: a value for each field, by its column. Values of levels are numbers of levels. */
const what_if = { fields: [], plain: true, by: '', series: '', values: new Map(), profile: null, asked: 0, waiting: false };

/** Makes the form anew if the fields are others than before; otherwise only their ranges follow the stream. */
function set_fields(state) {
  // What a person would write; the digits beyond are noise.
  for (const field of state.what_if.fields) field.value = Number(field.value.toPrecision(6));
  const shape = (fields) => JSON.stringify(fields.map((field) => [field.name, field.kind, field.levels]));
  const same = shape(what_if.fields) === shape(state.what_if.fields);
  Object.assign(what_if, { fields: state.what_if.fields, plain: state.what_if.plain, by: state.what_if.by });
  if (same) {
    for (const field of what_if.fields) {
      const slider = document.getElementById(`slider-${field.column}`);
      if (!slider) continue;
      slider.min = Math.min(field.low, slider.value);
      slider.max = Math.max(field.high, slider.value);
    }
    return;
  }
  what_if.values = new Map(what_if.fields.map((field) => [field.column, field.value]));
  const shown = shown_fields(state);
  what_if.profile = by_relevance(state).find((k) => shown.some((field) => field.column === k)) ?? null;
  const form = document.getElementById('fields');
  form.replaceChildren(...(what_if.by ? [series_field()] : []), ...shown.map(make_field));
  if (shown.length < what_if.fields.length) {
    const note = document.createElement('p');
    note.textContent = `${count(what_if.fields.length - shown.length)} less relevant inputs are as in the newest row.`;
    form.append(note);
  }
  const button = document.createElement('button');
  button.type = 'button';
  button.textContent = 'As in the newest row';
  button.addEventListener('click', take_newest);
  form.append(button);
}

/** The most relevant ones, in the table's order. */
function shown_fields(state) {
  const rank = by_relevance(state);
  const chosen = new Set(rank.filter((k) => what_if.fields.some((field) => field.column === k)).slice(0, kMostFields));
  return what_if.fields.filter((field) => chosen.has(field.column));
}

function series_field() {
  const box = document.createElement('div');
  box.className = 'field choice';
  const label = document.createElement('label');
  label.textContent = what_if.by;
  label.htmlFor = 'series';
  const input = document.createElement('input');
  input.id = 'series';
  input.addEventListener('input', () => { what_if.series = input.value; ask_what_if(); });
  box.append(label, input);
  return box;
}

function make_field(field) {
  const box = document.createElement('div');
  box.className = 'field';
  const label = document.createElement('label');
  label.textContent = field.name;
  label.title = field.name;
  box.append(label);
  const change = (value) => {
    what_if.values.set(field.column, value);
    what_if.profile = field.column;
    ask_what_if();
  };
  box.addEventListener('focusin', () => {
    if (what_if.profile === field.column) return;
    what_if.profile = field.column;
    ask_what_if();
  });
  if (field.levels) {
    const select = document.createElement('select');
    select.id = label.htmlFor = `slider-${field.column}`;
    field.levels.forEach((level, i) => select.append(new Option(level, i)));
    select.value = field.value;
    select.addEventListener('change', () => change(Number(select.value)));
    box.className = 'field choice';
    box.append(select);
    return box;
  }
  const slider = document.createElement('input');
  slider.type = 'range';
  slider.id = label.htmlFor = `slider-${field.column}`;
  slider.step = 'any';
  slider.min = field.low;
  slider.max = field.high;
  slider.value = field.value;
  const exact = document.createElement('input');
  exact.id = `exact-${field.column}`;
  exact.setAttribute('aria-label', `${field.name}, exactly`);
  const time = field.kind === 'time';
  const text = (value) => (time ? stamp_of(field, value) : String(Number(value.toPrecision(6))));
  if (time) {
    box.className = 'field choice';
    exact.type = field.time.dated ? 'datetime-local' : 'time';
    exact.step = 1;
  } else {
    exact.type = 'number';
    exact.step = 'any';
  }
  exact.value = time ? stamp_of(field, field.value) : String(field.value);
  slider.setAttribute('aria-valuetext', exact.value);
  slider.addEventListener('input', () => {
    exact.value = text(Number(slider.value));
    slider.setAttribute('aria-valuetext', exact.value);
    change(time ? hours_of(field, exact.value) : Number(exact.value));
  });
  exact.addEventListener('input', () => {
    const value = time ? hours_of(field, exact.value) : exact.valueAsNumber;
    if (!Number.isFinite(value)) return;
    slider.min = Math.min(field.low, value);
    slider.max = Math.max(field.high, value);
    slider.value = value;
    change(value);
  });
  box.append(slider, exact);
  return box;
}

/** Times are hours since the table's first moment, and shown as its clocks were: no zone of the reader's. */
function stamp_of(field, hours) {
  const stamp = new Date(1000 * ((field.time.dated ? field.time.origin : 0) + 3600 * hours)).toISOString().slice(0, 19);
  return field.time.dated ? stamp : stamp.slice(11);
}

function hours_of(field, text) {
  const seconds = Date.parse((field.time.dated ? text : `1970-01-01T${text}`) + 'Z') / 1000;
  return (seconds - (field.time.dated ? field.time.origin : 0)) / 3600;
}

/** The cells of a time, which may be spread over several columns of the table. */
function set_time_cells(field, hours, row) {
  const stamp = stamp_of({ time: { ...field.time, dated: true } }, hours);
  const seconds = field.time.origin + 3600 * hours;
  const [date, day_time] = stamp.split('T');
  const [year, month, day] = date.split('-');
  const [hour, minute, second] = (field.time.dated ? day_time : stamp_of(field, hours)).split(':');
  const zone = field.time.zoned ? 'Z' : '';
  const parts = { stamp: field.time.dated ? `${date} ${hour}:${minute}:${second}${zone}` : `${hour}:${minute}:${second}`,
    date, clock: `${hour}:${minute}:${second}`, year, month, day, hour, minute, second,
    unix_seconds: String(seconds), unix_milliseconds: String(1000 * seconds) };
  for (const column of field.time.columns) row[column.name] = parts[column.part];
}

/** A row of the table, or of numbers if the model takes these alone. */
function what_if_row(values) {
  if (what_if.plain) return what_if.fields.map((field) => values.get(field.column));
  const row = {};
  if (what_if.by) row[what_if.by] = what_if.series;
  for (const field of what_if.fields) {
    const value = values.get(field.column);
    if (field.kind === 'time') set_time_cells(field, value, row);
    else row[field.name] = field.levels ? field.levels[value] : value;
  }
  return row;
}

/** The points of the profile: one input over its range, the others as chosen. */
function profile_values(field) {
  if (field.levels) return field.levels.map((_, i) => i);
  const even = (low, high, steps) => Array.from({ length: steps + 1 }, (_, i) => low + (high - low) * i / steps);
  // Of a date, the hours around it: over months the cycle of a day would not be seen.
  if (field.kind === 'time' && field.time.dated) {
    const at = what_if.values.get(field.column);
    return even(at - 36, at + 36, 72);
  }
  const slider = document.getElementById(`slider-${field.column}`);
  return even(Number(slider.min), Number(slider.max), 60);
}

/** Asks for the chosen point and the profile at once. While an answer is under way the next question waits for it. */
async function ask_what_if() {
  if (!live.state || !live.state.what_if || what_if.fields.length === 0) return;
  const asked = ++what_if.asked;
  if (what_if.waiting) return;
  what_if.waiting = true;
  try {
    const level = Number(document.getElementById('level').value);
    const field = what_if.fields.find((one) => one.column === what_if.profile);
    const along = profile_values(field);
    const rows = [what_if_row(what_if.values), ...along.map((value) => what_if_row(new Map(what_if.values).set(field.column, value)))];
    const answers = await predict_rows(rows, level);
    document.getElementById('answer-error').textContent = '';
    live.answer = { level, field, along, at: what_if.values.get(field.column), answers };
    show_answer();
  } catch (error) {
    document.getElementById('answer-error').textContent = error.message;
  } finally {
    what_if.waiting = false;
    if (what_if.asked !== asked) ask_what_if();
  }
}

/** For each output: arrays mean, lower, upper. */
async function predict_rows(rows, level) {
  const model = `v2/models/${encodeURIComponent(live.state.name)}`;
  const outputs = live.state.outputs.length;
  if (what_if.plain) {
    const answer = await ask(`${model}/infer`, { parameters: { level }, inputs: [
      { name: 'x', datatype: 'FP64', shape: [rows.length, rows[0].length], data: rows.flat() }] });
    const part = (name) => answer.outputs.find((one) => one.name === name).data;
    const [mean, lower, upper] = ['mean', 'lower', 'upper'].map(part);
    return Array.from({ length: outputs }, (_, o) => ({ mean: mean.filter((_, i) => i % outputs === o),
      lower: lower.filter((_, i) => i % outputs === o), upper: upper.filter((_, i) => i % outputs === o) }));
  }
  const { results } = await ask(`${model}/rows?learn=false&level=${level}`, { rows });
  const odd = results.find((result) => result.mean === undefined);
  if (odd) throw new Error(odd.error ?? 'The lags reach back before the first row of this series.');
  return live.state.outputs.map((_, o) => Object.fromEntries(['mean', 'lower', 'upper'].map(
    (name) => [name, results.map((result) => result[name][o])])));
}

function show_answer() {
  if (!live.answer) return;
  const { level, field, along, at, answers } = live.answer;
  const chosen = answers[live.output];
  const name = live.state.outputs[live.output].name;
  const answer = document.getElementById('answer');
  const mean = document.createElement('strong');
  mean.textContent = `${name} ${figure(chosen.mean[0], 6)}`;
  const interval = document.createElement('span');
  interval.textContent = `with ${figure(100 * level, 3)} % between ${figure(chosen.lower[0], 6)} and ${figure(chosen.upper[0], 6)}`;
  answer.replaceChildren(mean, interval);
  // As they came, for programs that look at the page.
  Object.assign(answer.dataset, { mean: chosen.mean[0], lower: chosen.lower[0], upper: chosen.upper[0] });
  draw_profile(field, along, at, chosen, name, level);
}

function draw_profile(field, along, at, chosen, name, level) {
  const colour = colours();
  const place = (value) => (field.levels ? field.levels[value] : field.kind === 'time' ? stamp_of({ time: { ...field.time, dated: true } }, value) : value);
  const x = along.map(place);
  const [mean, lower, upper] = ['mean', 'lower', 'upper'].map((part) => chosen[part].slice(1));
  const dated = field.kind === 'time';
  const input = { name: field.name, axis: field.levels ? 'category' : dated ? 'time' : 'number' };
  document.getElementById('profile-caption').textContent = `If only ${field.name} were different`;
  describe('profile', `${name} as a function of ${field.name}, from ${figure(Math.min(...mean))} to ${figure(Math.max(...mean))}.`);
  fill_table('profile', [field.name, name, 'from', 'to'], x.map((value, i) => [typeof value === 'number' ? figure(value) : value, figure(mean[i]), figure(lower[i]), figure(upper[i])]));
  const hover = `%{x}<br>${plain(name)} %{y:.5~g}<extra></extra>`;
  const traces = field.levels
    ? [{ x, y: mean, mode: 'markers', showlegend: false, marker: { color: colour.strong, size: 8 }, hovertemplate: hover,
      error_y: { type: 'data', symmetric: false, array: upper.map((value, i) => value - mean[i]), arrayminus: lower.map((value, i) => mean[i] - value), color: colour.bar, thickness: 2, width: 4 } }]
    : [{ x, y: lower, mode: 'lines', line: { width: 0 }, hoverinfo: 'skip', showlegend: false },
      { x, y: upper, mode: 'lines', line: { width: 0 }, fill: 'tonexty', fillcolor: colour.band, hoverinfo: 'skip', showlegend: false },
      { x, y: mean, mode: 'lines', showlegend: false, line: { color: colour.strong, width: 2 }, hovertemplate: hover }];
  show('profile', [...traces,
    { x: [place(at)], y: [chosen.mean[0]], mode: 'markers', showlegend: false, hoverinfo: 'skip',
      marker: { color: colour.accent, size: 11, line: { color: colour.card, width: 1.5 } } },
  ], { xaxis: column_axis(input, x, { nticks: 5 }), yaxis: axis(short(name, 18)) });
}

/** Puts the newest row into the form. */
async function take_newest() {
  const state = await ask('live/state');
  what_if.fields = [];
  live.state.what_if = state.what_if;
  set_fields(live.state);
  ask_what_if();
}
