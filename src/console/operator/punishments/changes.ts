import { html } from 'hono/html';
import { idOf } from '#platform/ids.ts';
import { COLON } from '#http/languages.ts';
import type { Html } from '#http/page.ts';
import { keyCursor, listed } from '#http/pager.ts';
import { readTime } from '#text/time.ts';
import { listChanges, type PunishmentChange } from '#events/punishments/changes.ts';
import { button, number, timestamp } from '../../components.ts';
import { operatorPage, type Route, type ConsoleRequest } from '../../routes.ts';
import { inOperator } from '../layout.ts';
import { keyBefore, olderPager, PAGE_SIZE, table } from '../../lists.ts';
import { typeName } from '../punishment-labels.ts';

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
  const rows = changes.map((change) => [
    timestamp(request, change.received),
    senderOf(request, change),
    ...(of === undefined ? [targetOf(change)] : []),
    html`${t.change_types[change.type]} ${change.withdrawn ? html`<span class="badge warn">${t.undone}</span>` : ''}`,
    termsOf(request, change),
    ...(canUndo ? [undoButton(request, change, of)] : []),
  ]);
  const player = of === undefined ? [t.player] : [];
  const headings = [t.when, t.by, ...player, t.what, t.facts, ...(canUndo ? [t.undo] : [])];
  return table(t.history, headings, rows, { first: 'td', empty: t.nothing_found });
}

/** A game server and its key, which only operators may follow up; or a moderator or operator. */
function senderOf(
  { texts: { operator: t }, person }: ConsoleRequest,
  { serverKey, server, credential, by }: PunishmentChange,
): Html {
  if (credential === 0) return html`${by ?? server ?? t.staff}`;
  const id = idOf(credential);
  const key = person.isOperator
    ? html`<a href="/console/operator/servers/${idOf(serverKey)}/keys/${id}"><code>${id}</code></a>`
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
  const until = expires === null ? t.never_expires : expires && timestamp(request, readTime(expires)!);
  const parts: [string, Html | string | undefined][] = [
    [t.kind, type && typeName(request, type)],
    [t.level, level === undefined ? undefined : number(request, level)],
    [t.reason, reason],
    [t.expires, until],
  ];
  const given = parts.filter(([, value]) => value !== undefined);
  return given.length === 0
    ? html`–`
    : html`${given.map(([name, value]) => html`<div>${name}${COLON[request.texts.lang]}${value}</div>`)}`;
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

/** What all keys and staff did to punishments. */
async function changesPage(request: ConsoleRequest) {
  const { operator: t } = request.texts;
  const found = await listChanges(request.deps.db, { before: keyBefore(request), limit: PAGE_SIZE + 1 });
  const { items, next } = listed(found, PAGE_SIZE, keyCursor);
  const inner = html`<section class="card">${changeTable(request, items)} ${olderPager(request, next)}</section>`;
  return inOperator(request, '/punishments', t.all_changes, inner);
}

export const punishmentChangeRoutes: readonly Route[] = [operatorPage('/operator/punishments/changes', changesPage)];
