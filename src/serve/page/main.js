// Puts what the server tells on the page, and draws again when a choice or the colours change.

/** All that the page knows. */
const live = { state: null, output: 0, points: [], rows: [], alarms: [], pair: null, map: null, answer: null, following: false };

const kMapEvery = 5000;

function names() {
  return live.state.outputs.map((output) => output.name);
}

function take_state(state) {
  // Whoever looks at the page has already seen what an earlier run of the server told: it stays.
  live.state = state;
  document.title = `${state.name}: splitgp`;
  document.getElementById('name').textContent = state.name;
  document.getElementById('made-by').textContent = `splitgp ${state.version}. This page asks nobody but this server.`;
  set_status('live', 'live');
  const learned = state.model !== null && state.points !== undefined;
  for (const section of ['stream', 'rows', 'what-if', 'inputs', 'partition', 'alarms']) document.getElementById(section).hidden = !learned;
  if (!learned) {
    document.getElementById('summary').textContent = 'No row has been learned yet. The charts begin with the first.';
    return;
  }
  live.points = join_points(live.points, points_of(state.points));
  live.rows = join_rows(live.rows, rows_of_columns(state.rows));
  live.alarms = state.model.alarms;
  live.output = Math.min(live.output, state.outputs.length - 1);
  offer_output();
  offer_pair();
  set_fields(state);
  draw();
  draw_partition();
  if (!live.map) fetch_map();
  ask_what_if();
}

async function take_tick(tick) {
  if (!live.state) return;
  const same = live.state.model !== null && live.state.points && tick.points && tick.figures.started === live.state.figures.started &&
    tick.points.seconds_per_point === live.state.points.seconds_per_point;
  if (tick.points && !same) {
    take_state(await ask('live/state'));
    return;
  }
  if (!tick.points) return;
  live.points = join_points(live.points, points_of(tick.points));
  live.rows = join_rows(live.rows, rows_of_columns(tick.rows));
  live.state.figures = tick.figures;
  live.state.model = tick.model;
  tick.relevance.forEach((share, k) => { live.state.inputs[k].relevance = share; });
  live.alarms = join_alarms(live.alarms, tick.model.alarms);
  draw();
}

function take_alarm(alarm) {
  live.alarms = join_alarms(live.alarms, [alarm]);
  document.getElementById('news').textContent = `Alarm. ${alarm_text(alarm, names())}`;
  if (!document.hidden) draw_alarms(live.alarms, Math.max(live.state.model.n_alarms, live.alarms.length), names());
}

function fill_head() {
  const { model, inputs, outputs, figures, split_limit } = live.state;
  const number = (n, one, many) => `${count(n)} ${n === 1 ? one : many}`;
  const all = outputs.map((output) => output.name);
  document.getElementById('summary').textContent =
    `${number(model.observations, 'observation', 'observations')}; ${all.slice(0, 8).join(', ')}${all.length > 8 ? ', …' : ''} from ` +
    `${number(inputs.length, 'input', 'inputs')}; ${number(model.local_gps, 'local GP', 'local GPs')} that own at most ${count(split_limit)} each; kernel ${model.kernel}.`;
  const recent = figures.recent[live.output] ?? { rmse: null, coverage: null, rows: 0 };
  const innovation = model.innovation[live.output];
  const facts = [
    ['Rows per second', figure(figures.rows_per_second, 3), 'over ten seconds'],
    ['Rows learned', count(figures.learned), `since the start${figures.rejected > 0 ? `; ${count(figures.rejected)} rejected` : ''}`],
    ['RMSE', figure(recent.rmse), `last ${count(recent.rows)} rows`],
    ['Inside 95 %', percent(recent.coverage), `last ${count(recent.rows)} rows`],
    ['Innovations²', figure(innovation.mean_square, 3), `${figure(innovation.lower, 2)} to ${figure(innovation.upper, 2)} if all is right`],
    ['Local GPs', count(model.local_gps), number(model.trainings, 'training', 'trainings')],
    ['Alarms', count(model.n_alarms), model.n_alarms === 0 ? 'no change was noticed' : 'the stream has changed'],
  ];
  const list = document.getElementById('figures');
  // Only texts change, so that nothing flickers and nobody loses their place.
  while (list.children.length < facts.length) {
    const box = document.createElement('div');
    const value = document.createElement('dd');
    value.append(document.createElement('span'), document.createElement('small'));
    box.append(document.createElement('dt'), value);
    list.append(box);
  }
  facts.forEach((texts, i) => {
    const box = list.children[i];
    [box.firstChild, box.lastChild.firstChild, box.lastChild.lastChild].forEach((element, part) => {
      if (element.textContent !== texts[part]) element.textContent = texts[part];
    });
  });
}

function draw() {
  if (!live.state || !live.state.points) return;
  fill_head();
  draw_alarms(live.alarms, live.state.model.n_alarms, names());
  if (document.hidden) return;
  const name = names()[live.output];
  const begun = live.rows.length > 0;
  for (const charts of ['stream-charts', 'rows-charts']) document.getElementById(charts).hidden = !begun;
  document.getElementById('stream-note').textContent = begun
    ? 'Every row is predicted before it is learned, so these are errors on rows the model had not seen.'
    : 'These charts begin with the next row that is learned.';
  const order = by_relevance(live.state);
  describe('relevance', `Most relevant: ${order.slice(0, 3).map((k) => `${live.state.inputs[k].name} ${percent(live.state.inputs[k].relevance)}`).join(', ')}.`);
  fill_table('relevance', ['input', 'relevance'], [...order].reverse().map((k) => [live.state.inputs[k].name, percent(live.state.inputs[k].relevance)]));
  Promise.all([...draw_series(live.points, live.output, name), ...draw_rows(live.rows, live.output, name), draw_relevance(live.state),
    ...draw_past(live.state.history, live.output, name)]).then((charts) => {
    document.documentElement.dataset.drawn = charts.length;
  });
}

/** The map costs the server thousands of predictions: it is asked for now and then, and only while it is seen. */
async function refresh_map() {
  const seen = document.getElementById('partition').getBoundingClientRect();
  const visible = !document.hidden && seen.bottom > -500 && seen.top < innerHeight + 500;
  if (!live.following || !visible || !live.pair || (live.map && live.map.seen === live.state.model.seen)) return;
  await fetch_map();
}

async function fetch_map() {
  if (!live.pair) return;
  const [a, b] = live.pair;
  try {
    const map = await ask(`live/map?inputs=${a},${b}`);
    if (a !== live.pair[0] || b !== live.pair[1]) return;
    live.map = map;
    draw_partition();
  } catch { /* the next time will do */ }
}

function draw_partition() {
  if (!live.map) return;
  const data = { ...live.state, partition: live.map, local_gps: { owned: live.map.owned } };
  const maps = Boolean(live.map.maps);
  document.getElementById('maps').hidden = !maps;
  document.getElementById('lines').hidden = maps;
  const cells = `${count(live.map.owned.length)} cells, of which the map cuts ${maps ? count(live.map.maps[0].cells.length) : 'all'}.`;
  for (const id of ['surface', 'uncertainty', 'line']) describe(id, `Map of the partition: ${cells}`);
  Promise.all(maps ? draw_map(data, live.output, 0) : draw_line(data, live.output)).then(() => {
    document.documentElement.dataset.mapped = live.map.seen;
  });
}

/** Fills a choice if its texts have changed. */
function offer(select, texts, chosen) {
  const element = document.getElementById(select);
  if ([...element.options].map((option) => option.textContent).join('\n') !== texts.join('\n')) {
    element.replaceChildren(...texts.map((text, i) => new Option(text, i)));
  }
  element.value = chosen;
}

function offer_output() {
  offer('output', names(), live.output);
  document.getElementById('output-choice').hidden = live.state.outputs.length < 2;
}

function offer_pair() {
  const inputs = live.state.inputs.map((input) => input.name);
  if (!live.pair || Math.max(...live.pair) >= inputs.length) live.pair = inputs.length > 1 ? by_relevance(live.state).slice(0, 2) : [0, 0];
  offer('pair-x', inputs, live.pair[0]);
  offer('pair-y', inputs, live.pair[1]);
  document.getElementById('pair-choice').hidden = inputs.length < 3;
}

function choose_pair(place, value) {
  const other = live.pair[1 - place];
  live.pair[place] = value;
  if (other === value) live.pair[1 - place] = value === 0 ? 1 : 0;
  offer_pair();
  fetch_map();
}

document.getElementById('output').addEventListener('change', (event) => {
  live.output = Number(event.target.value);
  draw();
  draw_partition();
  show_answer();
});
document.getElementById('pair-x').addEventListener('change', (event) => choose_pair(0, Number(event.target.value)));
document.getElementById('pair-y').addEventListener('change', (event) => choose_pair(1, Number(event.target.value)));
document.getElementById('level').addEventListener('change', ask_what_if);
document.getElementById('fields').addEventListener('submit', (event) => event.preventDefault());
for (const details of document.querySelectorAll('details[data-table]')) {
  details.addEventListener('toggle', () => { if (details.open && details.fill) details.fill(); });
}
const redraw = () => { draw(); draw_partition(); show_answer(); };
matchMedia('(prefers-color-scheme: dark)').addEventListener('change', redraw);
document.addEventListener('visibilitychange', redraw);
setInterval(refresh_map, kMapEvery);
follow();
