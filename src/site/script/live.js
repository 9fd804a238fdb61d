// Follows what the page shows while it is visible, and replaces the parts that change.

const status = document.querySelector('[data-live]');
const main = document.querySelector('#main');
/** After a refusal, and when the stream ends without a reason. */
const RETRY_MS = 60_000;

let { version, says } = status.dataset;
let stream;
let retry;
let isGone = false;

function open() {
  if (stream !== undefined || isGone || document.hidden) return;
  clearTimeout(retry);
  const query = new URLSearchParams({ page: status.dataset.live, version, lang: document.documentElement.lang });
  stream = new EventSource(`/live?${query}`);
  stream.addEventListener('update', ({ data }) => update(JSON.parse(data)));
  stream.addEventListener('gone', ({ data }) => leave(JSON.parse(data)));
  stream.addEventListener('error', () => {
    // The browser connects again by itself, unless the response was an error.
    if (stream?.readyState !== EventSource.CLOSED) return;
    close();
    retry = setTimeout(open, RETRY_MS * (1 + Math.random()));
  });
}

function close() {
  clearTimeout(retry);
  stream?.close();
  stream = undefined;
}

function update(next) {
  version = next.version;
  for (const [name, html] of Object.entries(next.parts)) {
    const part = document.querySelector(`[data-part="${name}"]`);
    if (part !== null) replace(part, html);
  }
  document.dispatchEvent(new Event('live-update'));
  if (next.says !== says) status.textContent = says = next.says;
}

/** The page no longer exists: shows what a reload would show. */
function leave(gone) {
  isGone = true;
  close();
  main.innerHTML = gone.main;
  main.focus({ preventScroll: true });
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

document.addEventListener('visibilitychange', () => (document.hidden ? close() : open()));
addEventListener('pagehide', close);
addEventListener('pageshow', open);
open();
