// While the page is visible, asks for what it shows of the present, and replaces the parts that change.

const status = document.querySelector('[data-live]');
const main = document.querySelector('#main');
const address = new URL(`/live${status.dataset.live}`, location.origin);
address.searchParams.set('lang', document.documentElement.lang);

/** Pauses between two requests: the first also after each change, then longer ones while nothing changes. */
const FIRST_MS = 3_000;
const LONGEST_MS = 15_000;
/** While requests fail. */
const LONGEST_AFTER_FAILURE_MS = 60_000;

let { version, says } = status.dataset;
let pauseMs = FIRST_MS;
let hasFailed = false;
let isGone = false;
let timer;
/** Aborts the request in progress. */
let asking;

async function ask() {
  stop();
  asking = new AbortController();
  const { signal } = asking;
  try {
    await receive(await fetch(address, { headers: { 'if-none-match': `W/"${version}"` }, signal }), signal);
  } catch {
    if (signal.aborted) return;
    fail();
  }
  askLater();
}

async function receive(response, signal) {
  const { status, headers } = response;
  if (status === 304) pauseMs = hasFailed ? FIRST_MS : Math.min(1.5 * pauseMs, LONGEST_MS);
  else if (status === 200) {
    update(await response.json());
    pauseMs = FIRST_MS;
  } else if (status === 404) return leave(await fetch(location.href, { signal }));
  else return fail(Number(headers.get('retry-after')) || 0);
  hasFailed = false;
}

function fail(retryAfterS = 0) {
  hasFailed = true;
  pauseMs = Math.min(Math.max(2 * pauseMs, 1_000 * retryAfterS), LONGEST_AFTER_FAILURE_MS);
}

/** After a failure at a random time, so that all pages do not ask a restarted service at once. */
function askLater() {
  stop();
  if (document.hidden || isGone) return;
  timer = setTimeout(ask, hasFailed ? pauseMs * (1 + Math.random()) : pauseMs);
}

/** The page becomes visible. */
function resume() {
  if (document.hidden || isGone) return;
  if (hasFailed) askLater();
  else {
    pauseMs = FIRST_MS;
    void ask();
  }
}

function stop() {
  clearTimeout(timer);
  asking?.abort();
}

function update(next) {
  for (const [name, html] of Object.entries(next.parts)) {
    const part = document.querySelector(`[data-part="${name}"]`);
    if (part !== null) replace(part, html);
  }
  version = next.version;
  document.dispatchEvent(new Event('live-update'));
  if (next.says !== says) status.textContent = says = next.says;
}

/** The page no longer exists: shows what a reload does. Throws if only its parts are missing, as with another release. */
async function leave(page) {
  if (page.status !== 404) throw new Error('The page exists.');
  const gone = new DOMParser().parseFromString(await page.text(), 'text/html');
  main.replaceChildren(...gone.querySelector('#main').childNodes);
  main.focus({ preventScroll: true });
  isGone = true;
}

/** Changes only what differs: the focus, open details and scrolled tables stay as they are. */
function replace(part, html) {
  const focused = part.contains(document.activeElement) ? document.activeElement : undefined;
  const next = part.cloneNode(false);
  next.innerHTML = html;
  adapt(part, next);
  if (focused === undefined || focused.isConnected) return;
  part.tabIndex = -1;
  part.focus({ preventScroll: true });
}

function adapt(node, next) {
  if (node.nodeType !== Node.ELEMENT_NODE) {
    if (node.nodeValue !== next.nodeValue) node.nodeValue = next.nodeValue;
    return;
  }
  for (const { name } of [...node.attributes])
    if (!next.hasAttribute(name) && !isOfReader(node, name)) node.removeAttribute(name);
  for (const { name, value } of next.attributes)
    if (node.getAttribute(name) !== value && !isOfReader(node, name)) node.setAttribute(name, value);
  let at = node.firstChild;
  for (const wanted of [...next.childNodes]) {
    const same = find(at, wanted);
    if (same === undefined) node.insertBefore(wanted, at);
    else {
      while (at !== same) at = remove(at);
      adapt(same, wanted);
      at = same.nextSibling;
    }
  }
  while (at !== null) at = remove(at);
}

/** Attributes that the reader sets, or that `replace` adds. */
const isOfReader = (node, name) => (node.localName === 'details' && name === 'open') || name === 'tabindex';

/** The node that becomes the wanted one: the element with its key, else the next one of its kind. */
function find(at, wanted) {
  const key = wanted.dataset?.key;
  if (key === undefined) {
    const isSame = at !== null && at.nodeName === wanted.nodeName && at.dataset?.key === undefined;
    return isSame ? at : undefined;
  }
  for (let node = at; node !== null; node = node.nextSibling) if (node.dataset?.key === key) return node;
  return undefined;
}

function remove(node) {
  const next = node.nextSibling;
  node.remove();
  return next;
}

document.addEventListener('visibilitychange', () => (document.hidden ? stop() : resume()));
addEventListener('pagehide', stop);
addEventListener('pageshow', ({ persisted }) => persisted && resume());
askLater();
