import { html } from 'hono/html';
import { idOf, keyOf } from '#platform/ids.ts';
import { perform } from '#admin/operation.ts';
import { undoPunishmentsOfKey } from '#admin/punishments.ts';
import { field } from '#http/fields.ts';
import type { Html } from '#http/page.ts';
import { keyCursor, listed } from '#http/pager.ts';
import { readUntil } from '#platform/text/until.ts';
import { countUndoable, listChanges, type PunishmentChange } from '#events/punishments/changes.ts';
import { button, formTo, number, timestamp, textOf } from '../../components.ts';
import { actForm, operatorPage, type Route, type ConsoleRequest } from '../../routes.ts';
import { isConfirmed } from '../../confirmation.ts';
import { confirmationPage } from '../confirmation.ts';
import { inOperator } from '../layout.ts';
import { keyBefore, olderPager, PAGE_SIZE, table } from '../lists.ts';

const PATH = '/operator/punishments/changes';

/**
 * A table of changes.
 * @param options.of the key of the punishment, on its own page: its rows do not name it, and operators can undo them
 */
export function changeTable(
  request: ConsoleRequest,
  changes: readonly PunishmentChange[],
  { of }: { of?: number } = {},
): Html {
  const { operator: t } = request.texts;
  const canUndo = of !== undefined && request.person.isOperator;
  const rows = changes.map(
    (change) =>
      html`<tr>
        <td>${timestamp(request, change.received)}</td>
        <td>${senderOf(request, change)}</td>
        ${of === undefined ? html`<td>${targetOf(change)}</td>` : ''}
        <td>
          ${t.change_types[change.type]} ${change.withdrawn ? html`<span class="badge warn">${t.undone}</span>` : ''}
        </td>
        <td>${termsOf(request, change)}</td>
        ${canUndo ? html`<td>${undoButton(request, change, of)}</td>` : ''}
      </tr>`,
  );
  const headings = [
    t.when,
    t.by,
    ...(of === undefined ? [t.player] : []),
    t.what,
    t.facts,
    ...(canUndo ? [t.undo] : []),
  ];
  return table(t.history, headings, rows);
}

/** A game server and its key, which only operators may follow up; or a moderator or operator. */
function senderOf(
  { texts: { operator: t }, person }: ConsoleRequest,
  { server, credential, by }: PunishmentChange,
): Html {
  if (credential === 0) return html`${by ?? server ?? t.staff}`;
  const id = idOf(credential);
  const key = person.isOperator
    ? html`<a href="/console${PATH}?key=${id}"><code>${id}</code></a>`
    : html`<code>${id}</code>`;
  return html`${server} <span class="hint">${t.key} ${key}</span>`;
}

function targetOf({ target }: PunishmentChange): Html {
  if (target === undefined) return html`–`;
  return html`<a href="/console/operator/punishments/${idOf(target.key)}">${target.punished}</a>`;
}

function termsOf(request: ConsoleRequest, { terms }: PunishmentChange): Html {
  const { operator: t } = request.texts;
  const { type, level, reason, expires } = terms;
  const until = expires === null ? t.never_expires : expires && timestamp(request, Date.parse(expires));
  const parts: [string, Html | string | undefined][] = [
    [t.kind, type],
    [t.level, level === undefined ? undefined : number(request, level)],
    [t.reason, reason],
    [t.expires, until],
  ];
  const given = parts.filter(([, value]) => value !== undefined);
  return given.length === 0 ? html`–` : html`${given.map(([name, value]) => html`<div>${name}: ${value}</div>`)}`;
}

function undoButton(request: ConsoleRequest, { key, type, withdrawn }: PunishmentChange, of: number): Html {
  if (withdrawn || type === 'punishment.issued') return html``;
  const receipt = idOf(key);
  return button(request, `/operator/punishments/${idOf(of)}/undo`, request.texts.operator.undo, {
    kind: 'quiet small danger',
    fields: { receipt },
    about: receipt,
  });
}

/** What all keys, or one key, did to punishments; and for one key the form that undoes it. */
async function changesPage(request: ConsoleRequest) {
  const { c, deps } = request;
  const { operator: t } = request.texts;
  const [keyText, sinceText] = [textOf(c.req.query('key'), 32), textOf(c.req.query('since'), 40)];
  const credential = keyText === undefined ? undefined : (keyOf(keyText) ?? -1);
  const since = readSince(sinceText);
  const filter = { ...(credential !== undefined && { credential }), since: since ?? 0 };
  const found =
    since === undefined
      ? []
      : await listChanges(deps.db, { ...filter, before: keyBefore(request), limit: PAGE_SIZE + 1 });
  const { items, next } = listed(found, PAGE_SIZE, keyCursor);
  const sinceField = {
    name: 'since',
    label: t.withdraw_since,
    hint: t.withdraw_since_hint,
    optional: true,
    maxlength: 40,
  };
  const inner = html`<section class="card">
      <form class="stack form" action="/console${PATH}" role="search">
        ${field({ name: 'key', label: t.key, hint: t.key_hint, value: keyText, optional: true, maxlength: 32 })}
        ${field({ ...sinceField, value: sinceText, error: since === undefined ? t.since_wrong : undefined })}
        <button class="quiet">${t.find}</button>
      </form>
      ${items.length === 0 ? html`<p class="soft">${t.nothing_found}</p>` : changeTable(request, items)}
      ${olderPager(request, next)}
    </section>
    ${credential === undefined || since === undefined ? '' : await undoCard(request, credential, since, keyText!)}`;
  return inOperator(request, '/punishments', t.all_changes, inner, since === undefined ? 422 : 200);
}

/** @returns epoch milliseconds, 0 for an empty field, undefined if the text is not a time */
function readSince(text: string | undefined): number | undefined {
  if (text === undefined) return 0;
  const since = readUntil(text, Number.NaN);
  return typeof since === 'number' && !Number.isNaN(since) ? since : undefined;
}

async function undoCard(request: ConsoleRequest, credential: number, since: number, key: string): Promise<Html> {
  const { operator: t } = request.texts;
  const count = await countUndoable(request.deps.db, { credential, since });
  if (count === 0) return html``;
  const fields = html`<input type="hidden" name="key" value="${key}" />
    <input type="hidden" name="since" value="${new Date(since).toISOString()}" />
    <button class="danger">${t.undo_confirm}</button>`;
  return html`<section class="card form" aria-labelledby="undo">
    <h2 id="undo">${t.undo_title(number(request, count))}</h2>
    <p>${t.undo_lead}</p>
    ${formTo(request, PATH, fields)}
  </section>`;
}

async function undoAll(request: ConsoleRequest) {
  const { actor, deps, form } = request;
  const { key = '' } = form;
  const [credential, since] = [keyOf(key), readSince(form['since'])];
  if (credential === undefined || since === undefined) return `${PATH}?done=gone`;
  const { operator: t } = request.texts;
  const outcome = await perform(undoPunishmentsOfKey, { ...deps, actor }, credential, { since }, ({ count }) =>
    isConfirmed(request)
      ? undefined
      : confirmationPage(request, {
          section: '/punishments',
          title: t.undo_title(number(request, count)),
          impact: [t.undo_lead],
          submit: t.undo_confirm,
          back: `${PATH}?key=${key}`,
        }),
  );
  if ('asked' in outcome) return outcome.asked;
  return 'done' in outcome ? `/operator/jobs/${idOf(outcome.done.job)}` : `${PATH}?key=${key}&done=gone`;
}

export const punishmentChangeRoutes: readonly Route[] = [
  operatorPage(PATH, changesPage),
  actForm(PATH, undoPunishmentsOfKey, undoAll),
];
