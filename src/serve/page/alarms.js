// Alarms: the stream has changed.

const kMostAlarms = 50;

function alarm_text(alarm, names) {
  const what = { up: 'is higher', down: 'is lower', wider: 'scatters more' }[alarm.kind];
  const where = alarm.local_gps === 1 ? 'one local GP' : `${count(alarm.local_gps)} local GPs`;
  const since = count(alarm.change_point + 1);
  return `Row ${count(alarm.sequence + 1)}: ${names[alarm.output] ?? 'the output'} ${what} than before row ${since}, ` +
    `by ${figure(Math.abs(alarm.size_in_noise), 2)} standard deviations of the noise, in ${where}.`;
}

function join_alarms(old, added) {
  const key = (alarm) => `${alarm.sequence} ${alarm.output} ${alarm.kind}`;
  const fresh = new Set(added.map(key));
  return [...old.filter((alarm) => !fresh.has(key(alarm))), ...added].slice(-kMostAlarms);
}

function draw_alarms(alarms, total, names) {
  document.getElementById('alarms-note').textContent = total === 0
    ? 'None: nothing says that the stream has changed.'
    : `${count(total)} so far${total > alarms.length ? `; the last ${count(alarms.length)}, newest first` : ', newest first'}. ` +
      'An alarm says that what came no longer fits what was learned; the model goes on learning.';
  const list = document.getElementById('alarm-list');
  list.hidden = alarms.length === 0;
  list.reversed = true;
  list.start = total;
  list.replaceChildren(...[...alarms].reverse().map((alarm) => {
    const item = document.createElement('li');
    item.textContent = alarm_text(alarm, names);
    return item;
  }));
}
