// Runs the ceremonies of passkeys (WebAuthn). The answer of the authenticator becomes the field `credential` of an ordinary
// form, so that the response of the server is a page. `passkeyForm` renders these forms.

const CEREMONIES = {
  create: (options, more) => {
    const publicKey = PublicKeyCredential.parseCreationOptionsFromJSON(options);
    return navigator.credentials.create({ publicKey, ...more });
  },
  get: (options, more) => {
    const publicKey = PublicKeyCredential.parseRequestOptionsFromJSON(options);
    return navigator.credentials.get({ publicKey, ...more });
  },
};

const isSupported =
  typeof globalThis.PublicKeyCredential?.parseCreationOptionsFromJSON === 'function' &&
  typeof PublicKeyCredential.prototype.toJSON === 'function';

/** A browser runs one ceremony at a time. */
let running = new AbortController();

async function run(form, more = {}) {
  running.abort();
  running = new AbortController();
  const { passkey, options } = form.dataset;
  const credential = await CEREMONIES[passkey](JSON.parse(options), { signal: running.signal, ...more });
  form.elements.credential.value = JSON.stringify(credential);
  form.submit();
}

/** Runs the ceremony in the place of the form's submission. */
async function submitted(event) {
  const form = event.target;
  event.preventDefault();
  showMessage(form, '');
  try {
    await run(form);
  } catch (error) {
    if (error.name !== 'AbortError')
      showMessage(form, form.dataset[error.name === 'InvalidStateError' ? 'exists' : 'failed']);
  }
}

function showMessage(form, text) {
  const message = form.querySelector('[role=alert]');
  message.textContent = text;
  message.hidden = text === '';
}

/** Offers passkeys in the list of names and passwords that the browser suggests (conditional mediation). */
async function offer(form) {
  if (!(await PublicKeyCredential.isConditionalMediationAvailable?.())) return;
  // A person who chooses none still has the button and the password.
  await run(form, { mediation: 'conditional' }).catch(() => undefined);
}

for (const form of document.querySelectorAll('form[data-passkey]')) {
  if (!isSupported) showMessage(form, form.dataset.unsupported);
  else {
    form.querySelector('button').hidden = false;
    form.addEventListener('submit', (event) => void submitted(event));
    if ('offered' in form.dataset) void offer(form);
  }
}

// A page that the browser kept has a challenge that may be used.
addEventListener('pageshow', (event) => {
  if (event.persisted) location.reload();
});
