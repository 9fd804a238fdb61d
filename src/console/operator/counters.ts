import { html } from 'hono/html';
import type { z } from 'zod';
import { deleteCounter, setCounter } from '#admin/counters.ts';
import { perform } from '#admin/operation.ts';
import { checkbox, choices } from '#http/fields.ts';
import { type Html, rowItem, section } from '#http/page.ts';
import { reasonAbout } from '#events/schema/problems.ts';
import { PGM_COUNTERS } from '#events/schema/counter-presets.ts';
import { DEFAULT_MOST } from '#events/schema/counters.ts';
import { AGGREGATES, type Counter, counterByKey, labelIn, listCounters } from '#store/game/counters/counters.ts';
import { type Group, GROUP_NAMES } from '#store/game/statistics-groups.ts';
import { button, fieldsOf, formTo, number, type Problems } from '../components.ts';
import { operationForm } from '../operation-form.ts';
import { actForm, type ConsoleRequest, operatorPage, type Route } from '../routes.ts';
import { orNotFound } from '../sign-in.ts';
import { confirmationPage, inOperator } from './layout.ts';
import { type Cell, table } from '../lists.ts';

type Declaration = z.output<typeof setCounter.fields>;

const SECTION = '/counters';
const AT = '/operator/counters';
const PRESETS = '/operator/counter-presets';

/** The network's own counters, those of PGM that are not declared, and a form to add one. */
async function countersPage(request: ConsoleRequest, problems: Problems = {}) {
  const { deps, form, texts, c } = request;
  const { counters: t } = texts;
  const isPage = c.req.method === 'GET';
  const declared = await listCounters(deps.db);
  const headings = [t.counter, t.key, t.aggregate, t.modes, t.most];
  const rows = declared.map((counter) => counterRow(request, counter));
  const title = texts.operator.sections[SECTION];
  const inner = html`<section class="card">
      <p>${t.lead}</p>
      ${table(title, headings, rows, { empty: t.none })}
    </section>
    ${presetsCard(request, declared)}
    <section class="card form" aria-labelledby="add">
      <h2 id="add">${t.add}</h2>
      ${formTo(
        request,
        AT,
        html`${fieldsOf(t, form, problems)('key', { maxlength: 32 })}
          ${counterFields(request, isPage ? EMPTY : form, problems)}<button>${t.create}</button>`,
      )}
    </section>`;
  return inOperator(request, SECTION, title, inner);
}

function counterRow(request: ConsoleRequest, counter: Counter): Cell[] {
  const { counters: t, lang } = request.texts;
  const { key, aggregate, modes, most, id, counted } = counter;
  return [
    html`<a href="/console${AT}/${key}"><bdi>${labelIn(counter, lang)}</bdi></a>
      ${counted < id ? html`<span class="badge warn">${t.counting}</span>` : ''}`,
    html`<code>${key}</code>`,
    t.aggregates[aggregate],
    modes.length === 0 ? t.all_modes : modes.map((mode) => t.mode_names[mode]).join(', '),
    number(request, most),
  ];
}

function presetsCard(request: ConsoleRequest, declared: readonly Counter[]): Html {
  const { counters: t, lang } = request.texts;
  const known = new Set(declared.map(({ key }) => key));
  const open = PGM_COUNTERS.filter(({ key }) => !known.has(key));
  if (open.length === 0) return html``;
  const labelOf = ({ label }: Declaration): string => (lang === 'ja' ? label.ja : label.en);
  const content = html`<p>${t.presets_lead}</p>
    <ul class="rows">
      ${open.map((one) =>
        rowItem(
          labelOf(one),
          html`<code>${one.key}</code>`,
          button(request, PRESETS, t.switch_on, {
            ...{ kind: 'quiet small', fields: { key: one.key }, about: labelOf(one) },
          }),
        ),
      )}
    </ul>
    <div class="actions">${button(request, PRESETS, t.switch_on_all)}</div>`;
  return section('presets', t.presets, content);
}

const EMPTY: Readonly<Record<string, string>> = { aggregate: 'sum', most: String(DEFAULT_MOST), order: '0' };

function counterFields(
  { texts: { counters: t } }: ConsoleRequest,
  value: ConsoleRequest['form'],
  problems: Problems,
): Html {
  const aggregates = AGGREGATES.map((name) => ({
    value: name,
    label: t.aggregates[name],
    hint: t.aggregate_hints[name],
  }));
  const input = fieldsOf(t, value, problems);
  return html`${input('label', { maxlength: 64 })} ${input('label_ja', { maxlength: 64, optional: true })}
    ${choices('aggregate', t.aggregate, aggregates, value['aggregate'] ?? 'sum')}
    <fieldset class="field choices">
      <legend>${t.modes}</legend>
      <p class="hint">${t.modes_hint}</p>
      ${GROUP_NAMES.map((mode) => checkbox(`mode_${mode}`, t.mode_names[mode], value[`mode_${mode}`] === '1'))}
    </fieldset>
    ${input('most', { type: 'number' })} ${input('order', { type: 'number', value: value['order'] ?? '0' })}`;
}

/** Reads the fields. A text that is not a whole number becomes NaN, which the validation of the event refuses. */
function readCounterForm(form: ConsoleRequest['form'], key: string): Declaration {
  const whole = (name: string): number =>
    /^-?\d{1,10}$/.test(form[name]?.trim() ?? '') ? Number(form[name]) : Number.NaN;
  return {
    key,
    label: { en: form['label']?.trim() ?? '', ja: form['label_ja']?.trim() ?? '' },
    aggregate: form['aggregate'] as Counter['aggregate'],
    modes: GROUP_NAMES.filter((mode): mode is Group => form[`mode_${mode}`] === '1'),
    most: whole('most'),
    order: whole('order'),
  };
}

/** Declares a counter. @returns the reason of a refusal by the form field that it is about */
async function declare(request: ConsoleRequest, data: Declaration): Promise<Problems | undefined> {
  const { actor, deps, texts } = request;
  const outcome = await perform(setCounter, { ...deps, actor }, undefined, data);
  if (!('rejected' in outcome)) return undefined;
  const { place: name } = outcome.rejected;
  const isNumber = Number.isNaN(data.most) ? 'most' : Number.isNaN(data.order) ? 'order' : undefined;
  if (isNumber !== undefined && name === isNumber) return { [name]: texts.counters.whole };
  return { [{ 'label.en': 'label', 'label.ja': 'label_ja' }[name] ?? name]: reasonAbout('This', outcome.rejected) };
}

async function create(request: ConsoleRequest) {
  const { deps, form, texts } = request;
  const key = form['key']?.trim() ?? '';
  if ((await counterByKey(deps.db, key)) !== undefined)
    return await countersPage(request, { key: texts.counters.exists(key) });
  const problems = await declare(request, readCounterForm(form, key));
  return problems === undefined ? `${AT}?done=completed` : await countersPage(request, problems);
}

/** Declares one of PGM's counters, or all that are not declared yet. */
async function switchOn(request: ConsoleRequest) {
  const { deps, form } = request;
  const known = new Set((await listCounters(deps.db)).map(({ key }) => key));
  const chosen = PGM_COUNTERS.filter(({ key }) => !known.has(key) && (form['key'] ?? key) === key);
  for (const one of chosen) await declare(request, one);
  return `${AT}?done=completed`;
}

const requireCounter = async ({ c, deps }: ConsoleRequest): Promise<Counter> =>
  orNotFound(await counterByKey(deps.db, c.req.param('id')!));

/** One counter, with its settings. */
async function counterPage(request: ConsoleRequest, problems: Problems = {}) {
  const { c, form, texts } = request;
  const { counters: t } = texts;
  const counter = await requireCounter(request);
  const isPage = c.req.method === 'GET';
  const inner = html`<section class="card form">
      <p>
        <code>${counter.key}</code> ·
        <a href="/leaderboards?period=all&amp;by=${counter.key}">${t.board}</a>
      </p>
      <p>${t.recounts}</p>
      ${formTo(
        request,
        `${AT}/${counter.key}`,
        html`${counterFields(request, isPage ? formOf(counter) : form, problems)}<button>${texts.save}</button>`,
      )}
    </section>
    <section class="card">
      <p>${t.remove_hint}</p>
      ${button(request, `${AT}/${counter.key}/delete`, t.remove, { kind: 'quiet danger' })}
    </section>`;
  return inOperator(request, SECTION, labelIn(counter, texts.lang), inner);
}

function formOf({ label, aggregate, modes, most, order }: Counter): ConsoleRequest['form'] {
  const chosen = Object.fromEntries(modes.map((mode) => [`mode_${mode}`, '1']));
  return { label: label.en, label_ja: label.ja, aggregate, most: String(most), order: String(order), ...chosen };
}

async function change(request: ConsoleRequest) {
  const { key } = await requireCounter(request);
  const problems = await declare(request, readCounterForm(request.form, key));
  return problems === undefined ? `${AT}/${key}?done=saved` : await counterPage(request, problems);
}

function confirmRemoval(request: ConsoleRequest, counter: Counter) {
  const { confirm, counters: t, lang } = request.texts;
  return confirmationPage(request, {
    section: SECTION,
    title: confirm.remove_counter(labelIn(counter, lang)),
    impact: [confirm.remove_counter_impact],
    undo: t.remove_hint,
    submit: t.remove,
    back: `${AT}/${counter.key}`,
  });
}

export const counterRoutes: readonly Route[] = [
  operatorPage(AT, (request) => countersPage(request)),
  actForm(AT, setCounter, create),
  actForm(PRESETS, setCounter, switchOn),
  operatorPage(`${AT}/:id`, (request) => counterPage(request)),
  actForm(`${AT}/:id`, setCounter, change),
  operationForm(`${AT}/:id/delete`, deleteCounter, {
    find: requireCounter,
    confirm: confirmRemoval,
    refused: {},
    done: () => `${AT}?done=completed`,
  }),
];
