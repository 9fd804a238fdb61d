import { html } from 'hono/html';
import type { Language } from '#http/languages.ts';
import { LIMITS } from '#http/limits.ts';
import { TYPES_OF_SERVERS } from '#events/schema/index.ts';
import { inline } from '#http/page.ts';
import type { Deps, PageHandler } from '../page-request.ts';
import { changes } from './changes.ts';
import { code, type DeveloperPage, languageTabs, layout, PATHS, table } from './components.ts';
import type { Placeholders } from './examples.ts';
import { lists } from './lists.ts';
import type { ApiDocument } from './reference/document.ts';
import { referencePage } from './reference/page.ts';
import { RUN_PATH, runRedirect } from './reference/run.ts';
import { en, type Text } from './text/en.ts';
import { ja } from './text/ja.ts';

const TEXTS: Record<Language, Text> = { en, ja };

/** The pages below `/developers`, by path. */
export function developerPages({ config, apiDocument }: Deps): Record<string, PageHandler> {
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
  let loaded: Promise<object> | undefined;
  const document = async (): Promise<ApiDocument> => (await (loaded ??= apiDocument())) as ApiDocument;
  return {
    [PATHS.start]: handler(start),
    [PATHS.reference]: async (request) => await referencePage(request, TEXTS[request.language], await document()),
    [RUN_PATH]: async (request) => runRedirect(request, await document()),
    [PATHS.signIn]: handler(signIn),
    [PATHS.rules]: handler(rules),
    [PATHS.lists]: handler(lists),
    [PATHS.changes]: handler(changes),
    [PATHS.webhooks]: handler(webhooks),
    [PATHS.ingest]: handler(ingest),
    [PATHS.deprecation]: handler(deprecation),
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
        <h2 id="client">${words.client}</h2>
        <p>${inline(words.clientText)}</p>
        ${code(text, 'client.mjs', placeholders)}
      </section>
      <section class="prose">
        <h2 id="generated-clients">${words.generated}</h2>
        ${words.generatedText.map((paragraph) => html`<p>${inline(paragraph)}</p>`)}
        ${code(text, 'openapi-fetch.ts.txt', placeholders)}
      </section>`,
  );
};

const SIGN_INS = [
  ['curl', 'sign-in.sh'],
  ['JavaScript', 'sign-in.mjs'],
  ['Python', 'sign-in.py'],
  ['PHP', 'sign-in.php'],
] as const;

const LIBRARIES = [
  ['Auth.js', 'auth-js.mjs'],
  ['Passport', 'passport.mjs'],
  ['openid-client', 'client-credentials.mjs'],
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
        <h2 id="apps">${words.apps}</h2>
        ${words.appsText.map((paragraph) => html`<p>${inline(paragraph)}</p>`)}
        <h2>${words.scopes}</h2>
        ${table(undefined, words.scopeRows)}
        <h2>${words.examples}</h2>
        <p>${words.examplesText}</p>
      </div>
      ${languageTabs(text, 'sign-in', SIGN_INS, placeholders)}
      <div class="prose">
        <h2 id="libraries">${words.libraries}</h2>
        <p>${inline(words.librariesText)}</p>
      </div>
      ${languageTabs(text, 'libraries', LIBRARIES, placeholders)}`,
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

const webhooks: DeveloperPage = (_request, text, placeholders) => {
  const words = text.webhooks;
  return layout(
    text,
    'webhooks',
    words,
    html`<div class="prose">
      <p class="lead">${words.description}</p>
      ${words.intro.map((paragraph) => html`<p>${inline(paragraph)}</p>`)}
      <h2>${words.receive}</h2>
      <p>${inline(words.receiver)}</p>
      ${code(text, 'webhook-receiver.mjs', placeholders)}
      <h2>${words.tryIt}</h2>
      ${code(text, 'webhook.sh', placeholders)}
      <h2>${words.messages}</h2>
      ${words.messagesText.map((paragraph) => html`<p>${inline(paragraph)}</p>`)}
      <h2>${words.answers}</h2>
      ${table(words.answersColumns, words.answersRows)} ${words.failures.map((paragraph) => html`<p>${paragraph}</p>`)}
      <h2>${words.discord}</h2>
      <p>${words.discordText}</p>
    </div>`,
  );
};

const deprecation: DeveloperPage = (_request, text) => {
  const words = text.deprecation;
  return layout(
    text,
    'deprecation',
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
