// How the page hears of the server: questions, events, and what to do when it is gone.

const kSilence = 30000;
const kLongestWait = 5000;

function sleep(milliseconds) {
  return new Promise((resolve) => { setTimeout(resolve, milliseconds); });
}

function headers(more = {}) {
  const token = sessionStorage.getItem('splitgp token');
  return token ? { ...more, Authorization: `Bearer ${token}` } : more;
}

class Refused extends Error {}

async function answer_of(response) {
  if (response.ok) return response;
  let message = `${response.status} ${response.statusText}`;
  try {
    const answer = await response.json();
    message = answer.error ?? answer.results?.[0]?.error ?? message; // the latter if every row was rejected
  } catch { /* an answer of something between the server and us */ }
  throw response.status === 401 || response.status === 403 ? new Refused(message) : new Error(message);
}

/** JSON from the server; with a body it is posted. */
async function ask(path, body = undefined) {
  const options = body === undefined ? { headers: headers(), cache: 'no-store' }
    : { method: 'POST', headers: headers({ 'Content-Type': 'application/json' }), body: JSON.stringify(body) };
  return (await answer_of(await fetch(path, options))).json();
}

/**
 * Server-sent events, one at a time. EventSource cannot send a token, nor does it notice a connection that has fallen
 * silent; fetch can, and so this reads the stream itself.
 */
async function* events() {
  const stop = new AbortController();
  let alarm = setTimeout(() => stop.abort(), kSilence);
  try {
    const response = await answer_of(await fetch('live/events', { headers: headers({ Accept: 'text/event-stream' }), cache: 'no-store', signal: stop.signal }));
    const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
    let text = '';
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      clearTimeout(alarm);
      alarm = setTimeout(() => stop.abort(), kSilence);
      const parts = (text + value.replace(/\r/g, '')).split('\n\n');
      text = parts.pop();
      for (const part of parts) {
        const event = { name: 'message', data: [] };
        for (const line of part.split('\n')) {
          if (line.startsWith('event:')) event.name = line.slice(6).trim();
          if (line.startsWith('data:')) event.data.push(line.slice(5).trim());
        }
        if (event.data.length > 0) yield { name: event.name, data: JSON.parse(event.data.join('\n')) };
      }
    }
  } finally {
    clearTimeout(alarm);
    stop.abort();
  }
}

function set_status(state, text) {
  const status = document.getElementById('status');
  status.dataset.state = state;
  if (status.textContent !== text) status.textContent = text;
}

/** Never ends: whenever the server is gone, asks again until it is back, and goes on from what it says then. */
async function follow() {
  for (let wait = 500; ; wait = Math.min(kLongestWait, 1.6 * wait)) {
    try {
      take_state(await ask('live/state'));
      document.getElementById('token-section').hidden = true;
      for await (const event of events()) {
        if (!live.following) {
          live.following = true;
          wait = 500;
          set_status('live', 'live');
        }
        if (event.name === 'tick') await take_tick(event.data);
        if (event.name === 'alarm') take_alarm(event.data);
      }
      set_status('lost', 'the server has gone; waiting for it …');
    } catch (error) {
      if (error instanceof Refused) {
        await ask_for_token(error.message);
        wait = 500;
      } else {
        set_status('lost', 'the server does not answer; trying again …');
      }
    }
    live.following = false;
    await sleep(wait);
  }
}

/** Answers when the reader has given one. */
function ask_for_token(message) {
  set_status('lost', message);
  document.getElementById('token-section').hidden = false;
  const form = document.getElementById('token-form');
  const input = document.getElementById('token');
  input.focus();
  return new Promise((resolve) => {
    form.addEventListener('submit', (event) => {
      event.preventDefault();
      sessionStorage.setItem('splitgp token', input.value.trim());
      input.value = '';
      resolve();
    }, { once: true });
  });
}
