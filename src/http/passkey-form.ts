import { html } from 'hono/html';
import type { Html } from './page.ts';

/** The script of these forms; a page with one names it in `scripts`, and the assets of its service contain it. */
export const PASSKEY_SCRIPT = 'passkeys.js';
export const PASSKEY_SCRIPT_FILE = new URL('script/passkeys.js', import.meta.url);

/** The sentences that the browser shows without a passkey. */
export interface PasskeyTexts {
  /** Without scripts. */
  script: string;
  /** In a browser that does not know passkeys. */
  unsupported: string;
  /** After the person cancelled, or the authenticator failed. */
  failed: string;
  /** If the authenticator has a passkey of the account already. */
  exists: string;
}

interface PasskeyForm {
  ceremony: 'create' | 'get';
  action: string;
  /** The options of the ceremony as JSON (WebAuthn Level 3, section 5.1.8). */
  options: object;
  texts: PasskeyTexts;
  button: string;
  fields?: Html;
  isQuiet?: boolean;
  /** Whether the browser also offers passkeys in a field with `autocomplete="username webauthn"`. */
  isOffered?: boolean;
}

/** A form whose field `credential` the script fills in with the answer of an authenticator. */
export function passkeyForm({ texts, ...form }: PasskeyForm): Html {
  return html`<form
    class="stack"
    method="post"
    action="${form.action}"
    data-passkey="${form.ceremony}"
    data-options="${JSON.stringify(form.options)}"
    data-unsupported="${texts.unsupported}"
    data-failed="${texts.failed}"
    data-exists="${texts.exists}"
    ${form.isOffered ? html`data-offered` : ''}
  >
    ${form.fields ?? ''}
    <button class="${form.isQuiet ? 'quiet' : ''}" hidden>${form.button}</button>
    <p class="notice bad" role="alert" hidden></p>
    <input type="hidden" name="credential" />
    <noscript><p class="hint">${texts.script}</p></noscript>
  </form>`;
}
