import { html } from 'hono/html';
import { LIMITS, rateLimit } from '#http/limits.ts';
import { inline } from '#http/page.ts';
import { code, type DeveloperPage, layout, PATHS, table } from './components.ts';

const DAY_S = 86_400;

/** `/developers/changes`: the feed of changes and its stream. */
export const changes: DeveloperPage = ({ deps: { config }, formats }, text, placeholders) => {
  const words = text.changes;
  const days = formats.number(Math.floor(config.CHANGES_LIFETIME / DAY_S));
  const perMinute = formats.number(rateLimit(config, 'walkPage', 'application').max);
  return layout(
    text,
    'changes',
    words,
    html`<div class="prose">
      <p class="lead">${words.lead}</p>
      <p><a href="${PATHS.start}#client">${words.client}</a> <a href="${PATHS.webhooks}">${words.webhooks}</a></p>
      <h2 id="promises">${words.promise}</h2>
      <ol>
        ${words.promises(days).map((promise) => html`<li>${inline(promise)}</li>`)}
      </ol>
      <h2 id="begin">${words.begin}</h2>
      ${code(text, 'changes.sh', placeholders)}
      ${words.beginText(perMinute).map((paragraph) => html`<p>${inline(paragraph)}</p>`)}
      <h2 id="continue">${words.next}</h2>
      <p>${inline(words.nextText)}</p>
      ${code(text, 'changes-next.sh', placeholders)} ${table(words.parametersHead, words.parameters)}
      <p>${inline(words.lines)}</p>
      <h2 id="items">${words.items}</h2>
      <p>${inline(words.itemsText)}</p>
      ${table(words.typesHead, words.types)} ${table(words.countsHead, words.counts)}
      <p>${words.notCounted}</p>
      <h2 id="reset">${words.reset}</h2>
      <p>${inline(words.resetText)}</p>
      ${table(words.resetHead, words.resets)}
      <h2 id="stream">${words.stream}</h2>
      ${code(text, 'changes-stream.sh', placeholders)}
      ${words.streamText.map((paragraph) => html`<p>${inline(paragraph)}</p>`)} ${table(words.eventsHead, words.events)}
      <p>
        ${inline(words.streamLimits(formats.number(config.STREAM_LIMIT), formats.number(LIMITS.openStream.max.network)))}
      </p>
    </div>`,
  );
};
