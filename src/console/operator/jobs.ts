import { html } from 'hono/html';
import { idOf, keyOf } from '#platform/ids.ts';
import { pauseJob, resumeJob } from '#admin/jobs.ts';
import type { Html } from '#http/page.ts';
import { keyCursor, listed } from '#http/pager.ts';
import { type Job, jobByKey, jobInTurn, listJobs, waitsFor } from '#store/jobs.ts';
import { button, factsList, number, timestamp } from '../components.ts';
import { oneOfForms, operationForm } from '../operation-form.ts';
import { operatorPage, type Route, type ConsoleRequest } from '../routes.ts';
import { orNotFound } from '../sign-in.ts';
import { inOperator } from './layout.ts';
import { keyBefore, olderPager, PAGE_SIZE, table } from '../lists.ts';

/** Jobs (`store/jobs.ts`) with their progress; operators pause and resume them. */
async function jobsPage(request: ConsoleRequest) {
  const { operator: o, jobs: t } = request.texts;
  const found = await listJobs(request.deps.db, keyBefore(request), PAGE_SIZE + 1);
  const { items, next } = listed(found, PAGE_SIZE, keyCursor);
  const inTurn = await jobInTurn(request.deps.db);
  const rows = items.map((job) => [
    linkTo(request, job),
    aboutOf(job),
    stateBadge(request, job, inTurn),
    progressOf(request, job),
    timestamp(request, job.created),
  ]);
  const headings = [t.job, o.about, o.state, t.progress, t.created];
  const inner = html`<section class="card">
    <p>${t.lead}</p>
    ${table(o.sections['/jobs'], headings, rows, { empty: t.none })} ${olderPager(request, next)}
  </section>`;
  return inOperator(request, '/jobs', o.sections['/jobs'], inner);
}

const linkTo = ({ texts }: ConsoleRequest, { key, kind }: Job): Html =>
  html`<a href="/console/operator/jobs/${idOf(key)}">${texts.jobs.kinds[kind]}</a>`;

/** The label of a merge is the id of the player who remains. */
function aboutOf({ kind, label }: Job): Html | string {
  if (label === '') return '–';
  return kind === 'merge' ? html`<a href="/players/${label}">${label}</a>` : label;
}

const BADGES = { waiting: 'warn', pausing: 'warn', paused: '', done: 'good', failed: 'bad' };

function stateBadge({ texts: { jobs: t } }: ConsoleRequest, job: Job, inTurn: Job | undefined): Html {
  const { state } = job;
  const text = state === 'waiting' && waitsFor(job, inTurn) !== undefined ? t.queued : t.states[state];
  return html`<span class="badge ${BADGES[state]}">${text}</span>`;
}

/** The job that another one waits for. */
function waitingNote(request: ConsoleRequest, job: Job, inTurn: Job | undefined): Html | string {
  const before = waitsFor(job, inTurn);
  if (before === undefined) return '';
  const { jobs: t } = request.texts;
  return html`<p>
    ${before.state === 'paused' ? t.waits_for_paused : t.waits_for} ${linkTo(request, before)}
    ${before.label === '' ? '' : aboutOf(before)} (${progressOf(request, before)})
  </p>`;
}

function progressOf(request: ConsoleRequest, { done, total }: Job): string {
  const so_far = number(request, done);
  return total === null ? so_far : request.texts.jobs.of(so_far, number(request, Math.max(done, total)));
}

const requireJob = async ({ c, deps }: ConsoleRequest): Promise<Job> =>
  orNotFound(await jobByKey(deps.db, keyOf(c.req.param('id')!) ?? 0));

/** The page does not reload by itself: each reload would move the focus of keyboards and screen readers to its start. */
async function jobPage(request: ConsoleRequest) {
  const { operator: o, jobs: t, connection } = request.texts;
  const inTurn = await jobInTurn(request.deps.db);
  const job = await requireJob(request);
  const { kind, state, created, finished, error } = job;
  const isRunning = state === 'waiting' || state === 'pausing';
  const facts: [string, Html | string][] = [
    [o.about, aboutOf(job)],
    [o.state, stateBadge(request, job, inTurn)],
    [t.progress, progressOf(request, job)],
    [t.created, timestamp(request, created)],
    [t.ended, finished === null ? '–' : timestamp(request, finished)],
  ];
  if (error !== '') facts.push([t.error, error]);
  const act = (name: string, text: string): Html =>
    button(request, `/operator/jobs/${idOf(job.key)}`, text, { fields: { act: name } });
  const inner = html`<section class="card">
    ${waitingNote(request, job, inTurn)} ${factsList(facts)}
    ${isRunning ? html`<p><a href="/console/operator/jobs/${idOf(job.key)}">${connection.reload}</a></p>` : ''}
    ${state === 'paused' && (kind === 'merge' || kind === 'anonymisation') ? html`<p class="hint">${t.holds}</p>` : ''}
    ${
      state === 'waiting'
        ? html`<p class="hint">${t.pause_hint}</p>
            ${act('pause', t.pause)}`
        : ''
    }
    ${state === 'paused' || state === 'failed' ? act('resume', t.resume) : ''}
  </section>`;
  return inOperator(request, '/jobs', t.kinds[kind], inner);
}

const AT = '/operator/jobs/:id';
const onJob = {
  find: requireJob,
  at: ({ key }: Job) => `/operator/jobs/${idOf(key)}`,
  refused: { wrong_state: 'gone' },
  done: 'completed',
} as const;
export const jobRoutes: readonly Route[] = [
  operatorPage('/operator/jobs', jobsPage),
  operatorPage(AT, jobPage),
  oneOfForms('act', {
    pause: operationForm(AT, pauseJob, onJob),
    resume: operationForm(AT, resumeJob, onJob),
  }),
];
