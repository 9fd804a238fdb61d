import { html } from 'hono/html';
import { LIMITS } from '#http/limits.ts';
import type { Html } from '#http/page.ts';
import { TYPES_OF_SERVERS } from '#events/schema/index.ts';
import type { Deps, PageContent, PageHandler, PageRequest } from '../page-request.ts';
import { type Placeholders, example } from './examples.ts';
import { type Text, TEXTS } from './text/index.ts';

/** The pages below `/developers`, by path. */
export function developerPages({ config }: Deps): Record<string, PageHandler> {
  const placeholders: Placeholders = {
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
  const handler = (page: DeveloperPage): PageHandler => {
    return async (request) => page(request, TEXTS[request.language], placeholders);
  };
  return {
    [PATHS.start]: handler(start),
    [PATHS.reference]: handler(reference),
    [PATHS.signIn]: handler(signIn),
    [PATHS.rules]: handler(rules),
    [PATHS.ingest]: handler(ingest),
    [PATHS.changes]: handler(changes),
  };
}

type DeveloperPage = (request: PageRequest, text: Text, placeholders: Placeholders) => PageContent;

const PATHS = {
  start: '/developers',
  reference: '/developers/reference',
  signIn: '/developers/sign-in',
  rules: '/developers/rules',
  ingest: '/developers/ingest',
  changes: '/developers/changes',
} as const;

type PageName = keyof typeof PATHS;

const PAGE_NAMES = Object.keys(PATHS) as PageName[];

/** A developer page: the links to all of them, the heading, then `body`. */
function layout(
  text: Text,
  name: PageName,
  { title, description }: { title: string; description: string },
  body: Html,
): PageContent {
  return {
    title,
    description,
    path: PATHS[name],
    section: 'developers',
    kind: 'developers',
    main: html`<div class="guide">
      <nav class="choices guide-nav" aria-label="${text.nav}">
        <ul>
          ${PAGE_NAMES.map((page) => html`<li><a href="${PATHS[page]}" ${page === name ? html` aria-current="page"` : ''}>${text.pages[page]}</a></li>`)}
        </ul>
      </nav>
      <div class="guide-body">
        <h1>${title}</h1>
        ${body}
      </div>
    </div>`,
  };
}

const start: DeveloperPage = ({ deps: { config }, formats }, text, placeholders) => {
  const words = text.start;
  const credentials = words.credentialRows(
    formats.number(config.USER_LIMIT),
    formats.number(config.APP_LIMIT),
    formats.number(config.ADDRESS_LIMIT),
  );
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
        ${code(text, 'quick-start.sh', placeholders)}
      </section>
      <section class="prose">
        <h2>${words.credentials}</h2>
        ${table(words.credentialColumns, credentials)}
        <p>${inline(words.transport)}</p>
      </section>
      <section class="prose">
        <h2>${words.onePlayer}</h2>
        ${code(text, 'player.sh', placeholders)}
      </section>
      <section class="prose">
        <h2>${words.browser}</h2>
        <p>${words.browserText}</p>
        ${code(text, 'client-id.sh', placeholders)}
      </section>
      <section class="prose">
        <h2 id="generated-clients">${words.generated}</h2>
        ${words.generatedText.map((paragraph) => html`<p>${inline(paragraph)}</p>`)}
        ${code(text, 'openapi-fetch.ts.txt', placeholders)}
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

const signIn: DeveloperPage = ({ deps: { config } }, text, placeholders) => {
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
      ${languageTabs(text, 'sign-in', SIGN_INS, placeholders)}`,
  );
};

const PAGINGS = [
  ['JavaScript', 'paging.mjs'],
  ['Python', 'paging.py'],
] as const;

/** The settings of the limits of requests to the data API. */
const HOURLY = {
  user: LIMITS.user.max.user,
  application: LIMITS.application.max.application,
  clientId: LIMITS.clientId.max.network,
  server: LIMITS.server.max.server,
};

const rules: DeveloperPage = ({ deps: { config }, formats }, text, placeholders) => {
  const words = text.rules;
  const subjects = ['user', 'application', 'clientId', 'server'] as const;
  const hourly = subjects.map((name) => formats.number(config[HOURLY[name]])) as [string, string, string, string];
  const errorBody = `{"error":"rate_limit","error_description":"Rate limit exceeded"}`;
  return layout(
    text,
    'rules',
    words,
    html`<section class="prose">
        <h2 id="limits">${words.limits}</h2>
        <p>${words.limitsText}</p>
        ${table(undefined, words.limitHeaders)} ${table(words.limitsHead, words.limitRows(...hourly))}
        <p>${inline(words.over)} ${inline(words.ignored)}</p>
        ${code(text, 'limits.sh', placeholders)}
      </section>
      <section class="prose">
        <h2 id="tokens">${words.tokens}</h2>
        <p>${inline(words.tokensText(formats.number(config.TOKEN_LIMIT), formats.number(config.LIVE_TOKEN_LIMIT)))}</p>
      </section>
      <section class="prose">
        <h2 id="errors">${words.errors}</h2>
        <p>${words.errorsText}</p>
        <pre tabindex="0"><code>${errorBody}</code></pre>
        ${table(undefined, words.errorRows)}
      </section>
      <section class="prose">
        <h2 id="paging">${words.paging}</h2>
        <p>${inline(words.pagingText)}</p>
        ${languageTabs(text, 'paging', PAGINGS, placeholders)}
      </section>
      <section class="prose">
        <h2 id="changed">${words.changed}</h2>
        <p>${inline(words.changedText)}</p>
      </section>`,
  );
};

const ingest: DeveloperPage = ({ deps: { config } }, text, placeholders) => {
  const words = text.ingest;
  const url = `${config.INGEST_URL}/openapi.json`;
  return layout(
    text,
    'ingest',
    words,
    html`<div class="prose">
      <p class="lead">${words.lead}</p>
      ${words.text.map((paragraph) => html`<p>${inline(paragraph)}</p>`)}${code(text, 'ingest.sh', placeholders)}
      <h2>${words.types}</h2>
      <ul>
        ${TYPES_OF_SERVERS.map((type) => html`<li><code>${type}</code></li>`)}
      </ul>
      <p><a href="${url}">${words.document}</a></p>
    </div>`,
  );
};

const changes: DeveloperPage = (_request, text) => {
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

/**
 * An example in several languages, one of which is visible: radio buttons choose it without a script.
 * @param name unique on the page
 */
function languageTabs(
  text: Text,
  name: string,
  files: readonly (readonly [language: string, file: string])[],
  placeholders: Placeholders,
): Html {
  return html`<fieldset class="tabs">
    <legend class="hidden">${text.language}</legend>
    ${files.map(
      ([language, file], index) =>
        html`<input type="radio" name="${name}" id="${name}-${index}" ${index === 0 ? html` checked` : ''} /><label
            for="${name}-${index}"
            >${language}</label
          >${code(text, file, placeholders)}`,
    )}
  </fieldset>`;
}

/** An example file; `script/site.js` adds the copy button, whose texts are in the data attributes. */
function code(text: Text, file: string, placeholders: Placeholders): Html {
  return html`<div class="example" data-copy="${text.copy}" data-copied="${text.copied}">
    <pre tabindex="0"><code>${example(file, placeholders)}</code></pre>
  </div>`;
}

/** A table in which the first cell of each row is its header. */
function table(head: readonly string[] | undefined, rows: readonly (readonly string[])[]): Html {
  return html`<div class="card scroll" tabindex="0">
    <table class="lines">
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
              ${rest.map((cell, index) => html`<td class="whole" ${head === undefined ? '' : html` data-label="${head[index + 1]!}"`}>${inline(cell)}</td>`)}
            </tr>`,
        )}
      </tbody>
    </table>
  </div>`;
}

/** Renders the parts between backticks as `<code>`. */
function inline(text: string): Html {
  return html`${text.split('`').map((part, index) => (index % 2 === 1 ? html`<code>${part}</code>` : part))}`;
}
