import type { AppContext } from '#context/context.ts';
import { mailServerOf } from '#platform/mail/mail.ts';
import { healthOf } from '#store/installation/health.ts';
import { type Command, reading, timestampOf } from './command/command.ts';

export const commands: Command[] = [
  reading(
    'health',
    'Show whether the database responds, game servers are online, events arrive and mails are delivered',
    health,
  ),
];

/** Without the process metrics that the console shows: this process is the command, not the service. */
async function health({ db, clock, config }: AppContext) {
  const now = clock.now();
  const since = now - config.PRESENCE_TIMEOUT * 1000;
  const health = await healthOf(db, { now, since, mailServer: mailServerOf(config) });
  const { database, answer_ms, servers, online, last_event, last_match, purge, mail_failure } = health;
  const sent = config.SMTP_URL === '' ? 'written to files: SMTP_URL is empty' : 'ok';
  return {
    ...{ database, answer_ms: Math.round(answer_ms * 100) / 100 },
    ...{ servers: servers.known, servers_heard: servers.heard, online },
    ...{ last_event: timestampOf(last_event), last_match: timestampOf(last_match) },
    ...{ last_purge: timestampOf(purge.last), purge: purge.paused ? PAUSED : 'ok' },
    mail: mail_failure === null ? sent : `failing since ${timestampOf(mail_failure.since)} with ${mail_failure.error}`,
  };
}

const PAUSED =
  'paused: the clock is more than a day ahead of the last purge. If the clock is right, run: scorehall purge --confirm';
