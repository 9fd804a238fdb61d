import { html } from 'hono/html';
import { idOf, keyOf } from '#platform/ids.ts';
import { perform } from '#admin/operation.ts';
import { changePunishment, revokePunishment, undoPunishmentChange, versionOf } from '#admin/punishments.ts';
import { field, notice } from '#http/fields.ts';
import { COLON } from '#http/languages.ts';
import { type Html, section } from '#http/page.ts';
import { runJob } from '#events/jobs/runner.ts';
import { punishmentHistory } from '#events/punishments/changes.ts';
import {
  type Punishment,
  punishmentByKey,
  type PunishmentTarget,
  REVOKED,
  targetByKey,
} from '#store/game/punishments.ts';
import { type Fact, factsList, formTo, textOf, timestamp, type Problems } from '../../components.ts';
import { actForm, moderatorPage, type Route, type ConsoleRequest } from '../../routes.ts';
import { isConfirmed } from '../../confirmation.ts';
import { orNotFound } from '../../sign-in.ts';
import { confirmationPage, inOperator } from '../layout.ts';
import { expiryOf, stateBadge, typeName } from '../punishment-labels.ts';
import { changeTable } from './changes.ts';
import { enteredTerms, isComplete, MAX_REASON, playerOf, readTerms, termsFields, wireExpiry } from './terms.ts';

const requirePunishment = async ({ c, deps, now }: ConsoleRequest): Promise<Punishment> =>
  orNotFound(await punishmentByKey(deps.db, keyOf(c.req.param('id')!) ?? 0, now));

/** The problems of the two forms of the page. */
interface PageProblems {
  change?: Problems;
  revoke?: string;
}

/** One punishment, its history, and the forms to change and to revoke it. */
async function punishmentPage(request: ConsoleRequest, problems: PageProblems = {}) {
  const { deps } = request;
  const { operator: t } = request.texts;
  const punishment = await requirePunishment(request);
  const { key, punished, type, state } = punishment;
  const history = await punishmentHistory(deps.db, (await targetByKey(deps.db, key))!);
  const inner = html`<section class="card">${factsList(factsOf(request, punishment))}</section>
    ${
      state === REVOKED
        ? notice(problems.change?.['form'], 'bad')
        : html`${changeForm(request, punishment, problems.change)} ${revokeForm(request, key, problems.revoke)}`
    }
    ${section('history', t.history, changeTable(request, history, { of: key }))}`;
  const title = `${typeName(request, type)}${COLON[request.texts.lang]}${punished.name}`;
  return inOperator(request, '/punishments', title, inner);
}

function factsOf(request: ConsoleRequest, punishment: Punishment): (Fact | false)[] {
  const { operator: t } = request.texts;
  const { punished, punisher, type, level, reason, server, time, revocation } = punishment;
  return [
    [t.player, html`<a href="/players/${punished.uuid}">${punished.name}</a>`],
    [t.kind, typeName(request, type)],
    [t.level, String(level)],
    [t.reason, reason === '' ? '–' : reason],
    [t.punisher, punisher?.name ?? '–'],
    [t.server, server === '' ? '–' : server],
    [t.when, timestamp(request, time)],
    [t.expires, expiryOf(request, punishment)],
    [t.state, stateBadge(request, punishment)],
    revocation !== null && [t.revocation, revocationOf(request, revocation)],
  ];
}

function revocationOf(request: ConsoleRequest, { time, by, server, reason }: NonNullable<Punishment['revocation']>) {
  const from = [by?.name, server].filter((text) => text !== undefined && text !== '').join(', ');
  return html`${timestamp(request, time)}${from === '' ? '' : html` · ${from}`}
  ${reason === '' ? '' : html`<span class="quote pre">${reason}</span>`}`;
}

function revokeForm(request: ConsoleRequest, key: number, problem: string | undefined): Html {
  const { operator: t } = request.texts;
  const content = html`${notice(problem, 'bad')}
  ${formTo(
    request,
    `/operator/punishments/${idOf(key)}`,
    html`${field({ name: 'reason', id: 'revoke-reason', label: t.reason, hint: t.revoke_hint, maxlength: MAX_REASON })}
      <button class="danger">${t.revoke}</button>`,
  )}`;
  return section('revoke', t.revoke, content, 'card form');
}

async function changeForm(
  request: ConsoleRequest,
  punishment: Punishment,
  problems: Problems | undefined,
): Promise<Html> {
  const { operator: t } = request.texts;
  const entered = problems === undefined ? enteredTerms(request, punishment) : request.form;
  const fields = html`<input type="hidden" name="version" value="${versionOf(punishment)}" />
    ${await termsFields(request, entered, problems ?? {})}<button>${t.change_punishment}</button>`;
  const content = html`${notice(problems?.['form'], 'bad')}
  ${formTo(request, `/operator/punishments/${idOf(punishment.key)}/change`, fields)}`;
  return section('change', t.change_punishment, content, 'card form');
}

async function change(request: ConsoleRequest) {
  const { actor, deps, form, texts } = request;
  const { operator: t } = texts;
  const punishment = await requirePunishment(request);
  const changed = { change: { form: t.changed_meanwhile } };
  if (form['version'] !== versionOf(punishment)) return await punishmentPage(request, changed);
  const read = readTerms(request, punishment.expires);
  if (!isComplete(read)) return await punishmentPage(request, { change: read });
  const { type, level, reason, expires } = read;
  const terms = {
    ...(type !== punishment.type && { type }),
    ...(level !== punishment.level && { level }),
    ...(reason !== punishment.reason && { reason }),
    ...(expires !== punishment.expires && { expires: wireExpiry(expires) }),
  };
  if (Object.keys(terms).length === 0) return await punishmentPage(request, { change: { form: t.nothing_to_change } });
  const outcome = await perform(changePunishment, { ...deps, actor }, punishment, terms);
  if ('rejected' in outcome) return await punishmentPage(request, { change: { form: outcome.rejected.reason } });
  if ('refused' in outcome) return await punishmentPage(request, changed);
  return `/operator/punishments/${idOf(punishment.key)}?done=saved`;
}

async function revoke(request: ConsoleRequest) {
  const { actor, deps, form, texts } = request;
  const reason = textOf(form['reason'], MAX_REASON);
  const punishment = await requirePunishment(request);
  if (punishment.state === REVOKED) return `/operator/punishments/${idOf(punishment.key)}?done=gone`;
  if (reason === undefined) return await punishmentPage(request, { revoke: texts.operator.reason_missing(MAX_REASON) });
  const row = { punishment, revoker: await playerOf(request) };
  const outcome = await perform(revokePunishment, { ...deps, actor }, row, { reason });
  if ('rejected' in outcome) return await punishmentPage(request, { revoke: outcome.rejected.reason });
  const happened = 'done' in outcome && !outcome.done.repeated;
  return `/operator/punishments/${idOf(punishment.key)}?done=${happened ? 'revoked' : 'gone'}`;
}

/** Withdraws one change or revocation of the punishment. */
async function undo(request: ConsoleRequest) {
  const { actor, deps, form } = request;
  const { operator: t } = request.texts;
  const { key } = await requirePunishment(request);
  const path = `/operator/punishments/${idOf(key)}`;
  const { receipt = '' } = form;
  const target = (await targetByKey(deps.db, key))!;
  const change = (await punishmentHistory(deps.db, target)).find((entry) => entry.key === keyOf(receipt));
  if (change === undefined || change.type === 'punishment.issued') return `${path}?done=gone`;
  const outcome = await perform(undoPunishmentChange, { ...deps, actor }, target, { receipt }, () =>
    isConfirmed(request) ? undefined : confirmUndo(request, target, path, t.change_types[change.type]),
  );
  if ('asked' in outcome) return outcome.asked;
  if (!('done' in outcome)) return `${path}?done=gone`;
  await runJob(deps, outcome.done.job);
  return `${path}?done=completed`;
}

function confirmUndo(request: ConsoleRequest, { punished }: PunishmentTarget, back: string, change: string) {
  const { confirm: t, operator } = request.texts;
  const [title, impact] = [t.undo_change(change, punished), [t.undo_change_impact]];
  return confirmationPage(request, { section: '/punishments', title, impact, submit: operator.undo, back });
}

const AT = '/operator/punishments/:id';
export const punishmentPageRoutes: readonly Route[] = [
  moderatorPage(AT, (request) => punishmentPage(request)),
  actForm(AT, revokePunishment, revoke),
  actForm(`${AT}/change`, changePunishment, change),
  actForm(`${AT}/undo`, undoPunishmentChange, undo),
];
