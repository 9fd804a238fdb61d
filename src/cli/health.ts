import { healthOf } from '#store/health.ts';
import { type Command, type Input, JSON_OPTION, print, withAppContext } from './command.ts';

export const commands: Command[] = [
  {
    words: 'health',
    summary: 'Show whether the database responds, game servers are online and events arrive',
    options: { json: JSON_OPTION },
    run: health,
  },
];

/** Without the process metrics that the console shows: this process is the command, not the service. */
async function health(input: Input): Promise<void> {
  await withAppContext(async ({ db, clock, config }) => {
    const since = clock.now() - config.PRESENCE_TIMEOUT * 1000;
    const { database, answer_ms, servers, online, last_event, last_match } = await healthOf(db, since);
    print(input, {
      ...{ database, answer_ms: Math.round(answer_ms * 100) / 100 },
      ...{ servers: servers.known, servers_heard: servers.heard, online },
      ...{ last_event: timestampOf(last_event), last_match: timestampOf(last_match) },
    });
  });
}

const timestampOf = (ms: number | null): string | null => (ms === null ? null : new Date(ms).toISOString());
