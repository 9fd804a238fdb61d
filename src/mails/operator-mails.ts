import { idOf } from '#platform/ids.ts';
import { withoutAddresses } from '#text/text.ts';
import type { AppContext } from '#context/context.ts';
import { LOCALES } from '#http/languages.ts';
import { type ApplicationChange, newestChange, waitingChanges } from '#store/applications/application-changes.ts';
import { type AccessRequest, listRequests, newestWaiting } from '#store/applications/access-requests.ts';
import { activeOperators } from '#store/accounts/accounts.ts';
import {
  claimMail,
  claimRefusals,
  claimSilentServers,
  confirmMail,
  type RefusingServer,
  releaseMail,
  REQUESTS,
  type SilentServer,
} from '#store/mail/operator-mails.ts';
import { textMail } from './text-mail.ts';
import type { Texts } from './texts/index.ts';

type Context = Pick<AppContext, 'config' | 'db' | 'clock' | 'mail'>;
type Config = Context['config'];

/** The subject and the paragraphs of a mail to the operators, in the language of one of them. */
type OperatorMail = (texts: Texts) => [subject: string, ...lines: string[]];

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

/** Operators get at most one mail an hour about waiting requests, and one about silent servers. */
const EVERY_MS = HOUR_MS;
/** At most one mail about the refused events of a server in this time. */
const REFUSALS_EVERY_MS = 6 * HOUR_MS;
const REFUSALS = { periodMs: 10 * MINUTE_MS, least: 20 };
/** A restart of a game server takes less. */
const LEAST_SILENCE_MS = 10 * MINUTE_MS;
const MAX_LISTED = 20;

/**
 * Sends the operators the mails that are due: about waiting requests, silent servers and refused events. Any number of
 * processes may run this.
 * @param listeningSince when this process started: a server cannot have been heard before
 */
export async function mailOperators(context: Context, listeningSince: number): Promise<void> {
  await mailWaitingRequests(context);
  await mailSilentServers(context, listeningSince);
  await mailRefusals(context);
}

/** Tells the operators of waiting requests and changes that no earlier mail was about. */
export async function mailWaitingRequests(context: Context): Promise<void> {
  const { db, clock, config } = context;
  const newest = Math.max((await newestWaiting(db)) ?? 0, (await newestChange(db)) ?? 0);
  if (newest === 0) return;
  if (!(await claimMail(db, clock.now(), { subject: REQUESTS, covers: newest, everyMs: EVERY_MS }))) return;
  const waiting = await listRequests(db, 'waiting', MAX_LISTED);
  const changes = await waitingChanges(db, MAX_LISTED);
  await send(context, [REQUESTS], requestsMail(config, waiting, changes));
}

async function mailSilentServers(context: Context, listeningSince: number): Promise<void> {
  const { db, clock, config } = context;
  const now = clock.now();
  const silence = Math.max(LEAST_SILENCE_MS, 2 * config.PRESENCE_TIMEOUT * 1000);
  if (now - listeningSince < silence) return;
  const claimed = await claimSilentServers(db, now, { silentSince: now - silence, everyMs: EVERY_MS });
  if (claimed === undefined) return;
  await send(context, claimed.subjects, silentServersMail(config, claimed.servers));
}

async function mailRefusals(context: Context): Promise<void> {
  const { db, clock, config } = context;
  const now = clock.now();
  const { periodMs, least } = REFUSALS;
  const claimed = await claimRefusals(db, now, { since: now - periodMs, least, everyMs: REFUSALS_EVERY_MS });
  if (claimed === undefined) return;
  await send(context, claimed.subjects, refusalsMail(config, claimed.servers));
}

/** Sends a claimed mail to every operator. If none of them can be reached, the mail becomes due again. */
async function send({ config, db, clock, mail }: Context, subjects: string[], write: OperatorMail): Promise<void> {
  const operators = await activeOperators(db);
  if (operators.length === 0) return await releaseMail(db, subjects);
  let [unsettled, wasDelivered] = [operators.length, false];
  const settle = async (delivered: boolean): Promise<void> => {
    wasDelivered ||= delivered;
    if (--unsettled > 0) return;
    await (wasDelivered ? confirmMail(db, clock.now(), subjects) : releaseMail(db, subjects));
  };
  for (const operator of operators) {
    const written = textMail(config, operator, (texts) => [...write(texts), texts.operator.footer]);
    mail.send(written, settle);
  }
}

const listOf = (items: readonly string[]): string => items.map((item) => `- ${item}`).join('\n');

function requestsMail(
  { SITE_URL }: Config,
  waiting: readonly AccessRequest[],
  changed: readonly ApplicationChange[],
): OperatorMail {
  return ({ operator: t, change, deleted_account }) => {
    const changes = changed.map(({ old, account_name }) =>
      change.operator_line(withoutAddresses(old.name), withoutAddresses(account_name ?? deleted_account)),
    );
    const requests = waiting.map(({ application_name, account_name }) =>
      t.request(withoutAddresses(application_name), withoutAddresses(account_name ?? deleted_account)),
    );
    const subject = t.requests_subject(waiting.length + changed.length);
    return [subject, t.requests, listOf([...requests, ...changes]), `${SITE_URL}/console/operator`];
  };
}

function silentServersMail({ SITE_URL, TIME_ZONE }: Config, servers: readonly SilentServer[]): OperatorMail {
  return ({ operator: t, lang }) => {
    const style = { dateStyle: 'medium', timeStyle: 'long', timeZone: TIME_ZONE } as const;
    const format = new Intl.DateTimeFormat(LOCALES[lang], style);
    const lines = servers.map(({ name, received }) => t.silent_server(name, format.format(received)));
    const subject = t.silent_subject(servers.length);
    return [subject, t.silent, listOf(lines), t.silent_hint, `${SITE_URL}/console/operator/servers`];
  };
}

function refusalsMail({ SITE_URL }: Config, servers: readonly RefusingServer[]): OperatorMail {
  return ({ operator: t, lang }) => {
    const lines = servers.map(
      ({ key, name, count, reason }) =>
        `${t.refusing_server(name, count.toLocaleString(LOCALES[lang]), reason)}\n  ${SITE_URL}/console/operator/servers/${idOf(key)}`,
    );
    return [t.refusals_subject, t.refusals, listOf(lines)];
  };
}
