import { html } from 'hono/html';
import type { Html } from '#http/page.ts';
import { TYPES } from '#events/schema.ts';
import type { Deps, PageContent, PageRequest, Show } from '../page-request.ts';
import { type Blanks, example } from './examples.ts';
import { type Text, TEXTS } from './text/index.ts';

/** `/developers`: how programs use the network. */
export function developerPages({ config }: Deps): Record<string, Show> {
  const blanks: Blanks = {
    api: config.API_URL,
    auth: config.AUTH_URL,
    ingest: config.INGEST_URL,
    client_id: 'YOUR_CLIENT_ID',
    client_secret: 'YOUR_CLIENT_SECRET',
    token: 'YOUR_ACCESS_TOKEN',
    player: 'PLAYER_NAME',
    redirect: 'http://127.0.0.1:8000/callback',
    server_key: 'YOUR_SERVER_KEY',
  };
  const show = (page: DeveloperPage): Show => {
    return async (request) => page(request, TEXTS[request.language], blanks);
  };
  return {
    '/developers': show(start),
    '/developers/reference': show(reference),
    '/developers/sign-in': show(signIn),
    '/developers/rules': show(rules),
    '/developers/ingest': show(ingest),
    '/developers/changes': show(changes),
  };
}

type DeveloperPage = (request: PageRequest, text: Text, blanks: Blanks) => PageContent;

const PATHS = {
  start: '/developers',
  reference: '/developers/reference',
  signIn: '/developers/sign-in',
  rules: '/developers/rules',
  ingest: '/developers/ingest',
  changes: '/developers/changes',
} as const;

function layout(
  text: Text,
  name: keyof typeof PATHS,
  words: { title: string; description: string },
  body: Html,
): PageContent {
  const path = PATHS[name];
  const links = Object.entries(PATHS) as [keyof typeof PATHS, string][];
  return {
    ...words,
    path,
    part: 'developers',
    kind: 'developers',
    main: html`<nav class="choices" aria-label="${text.nav}">
        <ul>
          ${links.map(([page, to]) => html`<li><a href="${to}" ${page === name ? html` aria-current="page"` : ''}>${text.pages[page]}</a></li>`)}
        </ul>
      </nav>
      <h1>${words.title}</h1>
      ${body}`,
  };
}

const start: DeveloperPage = ({ deps: { config }, formats }, text, blanks) => {
  const words = text.start;
  const limits = [config.USER_LIMIT, config.APP_LIMIT, config.ADDRESS_LIMIT].map(formats.number) as [
    string,
    string,
    string,
  ];
  const description = words.lead(config.NETWORK_NAME);
  return layout(
    text,
    'start',
    { title: words.title, description },
    html`<p class="lead">${description}</p>
      <section class="prose">
        <h2>${words.steps}</h2>
        <p>${words.register}</p>
        <p><a class="button" href="/console">${words.console}</a></p>
        <p>${words.after}</p>
        ${code(text, 'quick-start.sh', blanks)}
      </section>
      <section class="prose">
        <h2>${words.kinds}</h2>
        ${table(words.kindsHead, words.kindsRows(...limits))}
        <p>${inline(words.sent)}</p>
      </section>
      <section class="prose">
        <h2>${words.onePlayer}</h2>
        ${code(text, 'player.sh', blanks)}
      </section>
      <section class="prose">
        <h2>${words.alone}</h2>
        <p>${words.aloneText}</p>
        ${code(text, 'client-id.sh', blanks)}
      </section>`,
  );
};

const reference: DeveloperPage = ({ deps: { config, shell } }, text) => {
  const words = text.reference;
  const url = `${config.API_URL}/v1/openapi.json`;
  const page = layout(
    text,
    'reference',
    words,
    html`<p>${words.lead} <a href="${url}">${words.document}</a></p>
      <noscript
        ><p class="notice">${words.noScript} <a href="${url}">${url}</a></p></noscript
      >
      <div id="reference" data-document="${url}" data-renderer="${shell.assets.href('swagger-ui.js')}"></div>`,
  );
  return {
    ...page,
    scripts: ['reference.js'],
    stylesheets: ['swagger-ui.css', 'reference.css'],
    policy: { 'connect-src': [config.API_URL] },
  };
};

const SIGN_INS = [
  ['curl', 'sign-in.sh'],
  ['JavaScript', 'sign-in.mjs'],
  ['Python', 'sign-in.py'],
  ['PHP', 'sign-in.php'],
] as const;

const signIn: DeveloperPage = ({ deps: { config } }, text, blanks) => {
  const words = text.signIn;
  const issuer = `${config.AUTH_URL}/.well-known/openid-configuration`;
  return layout(
    text,
    'signIn',
    words,
    html`<div class="prose">
        <p class="lead">${words.lead}</p>
        <p>
          <a href="${issuer}"><code>${config.AUTH_URL}</code></a>
        </p>
        <h2>${words.flow}</h2>
        <ol>
          ${words.steps.map((step) => html`<li>${inline(step)}</li>`)}
        </ol>
        <h2>${words.kinds}</h2>
        ${table(undefined, words.types)}
        <h2>${words.scopes}</h2>
        ${table(undefined, words.scopeRows)}
        <h2>${words.examples}</h2>
        <p>${words.examplesText}</p>
      </div>
      ${SIGN_INS.map(
        ([name, file], place) =>
          html`<details class="language" ${place === 0 ? html` open` : ''}>
            <summary>${name}</summary>
            ${code(text, file, blanks)}
          </details>`,
      )}`,
  );
};

const rules: DeveloperPage = (_visit, text, blanks) => {
  const words = text.rules;
  const body = `{"error":"rate_limit","error_description":"Rate limit exceeded"}`;
  return layout(
    text,
    'rules',
    words,
    html`<section class="prose">
        <h2 id="limits">${words.limits}</h2>
        <p>${words.limitsText}</p>
        ${table(undefined, words.limitHeaders)}
        <p>${inline(words.over)}</p>
        ${code(text, 'limits.sh', blanks)}
      </section>
      <section class="prose">
        <h2 id="errors">${words.errors}</h2>
        <p>${words.errorsText}</p>
        <pre tabindex="0"><code>${body}</code></pre>
        ${table(undefined, words.errorRows)}
      </section>
      <section class="prose">
        <h2 id="paging">${words.paging}</h2>
        <p>${inline(words.pagingText)}</p>
        <details class="language" open>
          <summary>JavaScript</summary>
          ${code(text, 'paging.mjs', blanks)}
        </details>
        <details class="language">
          <summary>Python</summary>
          ${code(text, 'paging.py', blanks)}
        </details>
      </section>
      <section class="prose">
        <h2 id="changed">${words.changed}</h2>
        <p>${inline(words.changedText)}</p>
      </section>`,
  );
};

const ingest: DeveloperPage = ({ deps: { config } }, text, blanks) => {
  const words = text.ingest;
  const url = `${config.INGEST_URL}/openapi.json`;
  return layout(
    text,
    'ingest',
    words,
    html`<div class="prose">
      <p class="lead">${words.lead}</p>
      ${words.text.map((paragraph) => html`<p>${inline(paragraph)}</p>`)}${code(text, 'ingest.sh', blanks)}
      <h2>${words.types}</h2>
      <ul>
        ${TYPES.map((type) => html`<li><code>${type}</code></li>`)}
      </ul>
      <p><a href="${url}">${words.document}</a></p>
    </div>`,
  );
};

const changes: DeveloperPage = (_visit, text) => {
  const words = text.changes;
  return layout(
    text,
    'changes',
    words,
    html`<div class="prose">
      <h2>${words.promise}</h2>
      <ul>
        ${words.promises.map((promise) => html`<li>${inline(promise)}</li>`)}
      </ul>
      <h2 id="log">${words.log}</h2>
      ${table(undefined, words.entries)}
    </div>`,
  );
};

/** An example with a name for the button that copies it. */
function code(text: Text, file: string, blanks: Blanks): Html {
  return html`<div class="example" data-copy="${text.copy}" data-copied="${text.copied}">
    <pre tabindex="0"><code>${example(file, blanks)}</code></pre>
  </div>`;
}

function table(head: readonly string[] | undefined, rows: readonly (readonly string[])[]): Html {
  return html`<div class="card scroll" tabindex="0">
    <table>
      ${
        head === undefined
          ? ''
          : html`<thead>
              <tr>
                ${head.map((cell) => html`<th scope="col">${cell}</th>`)}
              </tr>
            </thead>`
      }
      <tbody>
        ${rows.map(
          ([first, ...rest]) =>
            html`<tr>
              <th scope="row">${first}</th>
              ${rest.map((cell) => html`<td>${inline(cell)}</td>`)}
            </tr>`,
        )}
      </tbody>
    </table>
  </div>`;
}

/** Text with `code` between backticks. */
function inline(text: string): Html {
  return html`${text.split('`').map((part, place) => (place % 2 === 1 ? html`<code>${part}</code>` : part))}`;
}
