// Fills the page from its data, and draws everything again when a choice or the colours change.

const data = JSON.parse(document.getElementById('data').textContent);
const chosen = { output: 0, pair: 0 };

function fill_head() {
  const names = data.outputs.map((output) => output.name);
  document.title = `${data.name}: splitgp report`;
  document.getElementById('name').textContent = data.name;
  const number = (n, one, many) => `${count(n)} ${n === 1 ? one : many}`;
  document.getElementById('summary').textContent =
    `${number(data.observations, 'observation', 'observations')}; ` +
    `${names.slice(0, 8).join(', ')}${names.length > 8 ? ', …' : ''} from ${number(data.inputs.length, 'input', 'inputs')}; ` +
    `${number(data.local_gps.owned.length, 'local GP', 'local GPs')} that own at most ${count(data.split_limit)} each; kernel ${data.kernel}.`;
  document.getElementById('made-by').textContent = `Made by splitgp ${data.version}. This page needs no network.`;
}

function fill_figures() {
  const list = document.getElementById('figures');
  list.replaceChildren();
  const add = (what, value, small = '') => {
    const box = document.createElement('div');
    const term = document.createElement('dt');
    const description = document.createElement('dd');
    term.textContent = what;
    description.textContent = value;
    if (small) {
      const more = document.createElement('small');
      more.textContent = small;
      description.append(more);
    }
    box.append(term, description);
    list.append(box);
  };
  const stream = data.stream;
  if (!stream) return;
  const score = stream.outputs[chosen.output];
  const share = (rmse) => (score.spread > 0 && rmse !== null ? `${figure(100 * rmse / score.spread, 3)} % of the spread` : '');
  add('RMSE, last 1,000 rows', figure(score.recent_rmse), share(score.recent_rmse));
  add('RMSE, all rows', figure(score.rmse), share(score.rmse));
  add('95 % intervals cover', percent(score.coverage), 'of all rows');
  add('NLPD', figure(score.nlpd, 3), 'nats, all rows');
  add('Rows learned', count(stream.learned), stream.rejected > 0 ? `${count(stream.rejected)} rejected` : 'none rejected');
  const now = data.innovation[chosen.output];
  add('Innovations²', figure(now.mean_square, 3), `lately; ${figure(now.lower, 2)} to ${figure(now.upper, 2)} if all is right`);
  add('Alarms', count(data.n_alarms), data.n_alarms === 0 ? 'no change was noticed' : 'the stream has changed');
  if (stream.seconds > 0) {
    add('Rows per second', count(Math.round(stream.learned / stream.seconds)), 'training included');
  }
}

/** Offers choices only where there are several. */
function offer(label, select, texts, choose) {
  const element = document.getElementById(select);
  texts.forEach((text, i) => element.append(new Option(text, i)));
  document.getElementById(label).hidden = texts.length < 2;
  element.addEventListener('change', () => choose(Number(element.value)));
}

function draw_partition() {
  if (!data.partition) return [];
  return data.partition.maps ? draw_map(data, chosen.output, chosen.pair) : draw_line(data, chosen.output);
}

async function draw() {
  delete document.documentElement.dataset.drawn;
  fill_figures();
  const charts = [];
  if (data.stream && data.stream.windows.last_row.length > 0) {
    charts.push(...draw_stream(data, chosen.output), ...draw_predictions(data, chosen.output));
  }
  if (data.partition) charts.push(draw_relevance(data), draw_length_scales(data), ...draw_partition(), ...draw_local_gps(data));
  await Promise.all(charts);
  document.documentElement.dataset.drawn = charts.length;
}

fill_head();
if (!data.stream) {
  replace_by_note('stream', 'This model was not taught by “splitgp stream”, which is what keeps scores over time.');
  replace_by_note('predictions', 'For the same reason there are no predictions to compare with the truth.');
} else if (data.stream.windows.last_row.length === 0) {
  replace_by_note('stream', 'No row has been learned yet.');
  replace_by_note('predictions', 'No row has been predicted yet.');
}
if (!data.partition) {
  for (const section of ['inputs', 'partition', 'local-gps']) {
    replace_by_note(section, 'The model has learned nothing yet.');
  }
} else {
  document.getElementById('maps').hidden = !data.partition.maps;
  document.getElementById('lines').hidden = !data.partition.line;
  offer('pair-choice', 'pair', (data.partition.maps || []).map((map) => map.inputs.map((k) => data.inputs[k].name).join(' and ')),
    (pair) => { chosen.pair = pair; draw_partition(); });
}
offer('output-choice', 'output', data.outputs.map((output) => output.name), (output) => { chosen.output = output; draw(); });
matchMedia('(prefers-color-scheme: dark)').addEventListener('change', draw);
draw();
