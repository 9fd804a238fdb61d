// Sends the requests of the reference from the page and shows their responses below the form.

/** The address of a request without its credential: the parameters of its path, and the fields that have a value. */
function addressOf(form) {
  const fields = new FormData(form);
  const template = form.dataset.address;
  const query = new URLSearchParams();
  for (const [name, value] of fields) {
    if (!['path', 'client_id'].includes(name) && !template.includes(`{${name}}`) && value !== '')
      query.set(name, value);
  }
  const address = template.replaceAll(
    /\{(\w+)\}/g,
    (parameter, name) => encodeURIComponent(fields.get(name)) || parameter,
  );
  return query.size === 0 ? address : `${address}?${query}`;
}

/** Single quotes end a quoted word of a shell. */
const quoted = (text) => `'${text.replaceAll("'", `'\\''`)}'`;

function showCommand(form) {
  const clientId = String(form.elements.client_id.value) || 'YOUR_CLIENT_ID';
  const command = form.parentElement.querySelector('.curl');
  command.textContent = `curl -H ${quoted(`X-Client-ID: ${clientId}`)} ${quoted(addressOf(form))}`;
}

async function run(form) {
  const answer = form.nextElementSibling;
  answer.textContent = answer.dataset.running;
  const headers = { 'x-client-id': new FormData(form).get('client_id') };
  try {
    const response = await fetch(addressOf(form), { headers });
    answer.replaceChildren(statusOf(response), bodyOf(await response.text()));
  } catch {
    answer.textContent = answer.dataset.unreachable;
  }
}

function statusOf(response) {
  const limits = ['X-RateLimit-Limit', 'X-RateLimit-Remaining', 'X-RateLimit-Reset', 'Retry-After'];
  const status = document.createElement('p');
  const shown = limits.filter((name) => response.headers.has(name));
  const lines = shown.map((name) => `${name}: ${response.headers.get(name)}`);
  status.append(Object.assign(document.createElement('strong'), { textContent: String(response.status) }));
  status.append(` ${lines.join(' · ')}`);
  return status;
}

function bodyOf(text) {
  const body = document.createElement('pre');
  body.tabIndex = 0;
  body.textContent = indented(text);
  return body;
}

function indented(text) {
  try {
    return JSON.stringify(JSON.parse(text), null, 1);
  } catch {
    return text;
  }
}

for (const form of document.querySelectorAll('form.run')) {
  form.addEventListener('input', () => showCommand(form));
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    showCommand(form);
    void run(form);
  });
}
