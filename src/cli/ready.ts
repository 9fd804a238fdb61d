import { setTimeout as pause } from 'node:timers/promises';
import { readConfig } from '#platform/config/config.ts';
import { environment } from '#platform/config/environment.ts';
import { TemporaryError } from '#platform/errors.ts';
import { COMMIT, VERSION } from '#platform/version.ts';
import { type Command, type Input, JSON_OPTION, option, wholeNumber } from './command/command.ts';
import { askInternal, internalAddress } from './doctor/request.ts';

export const commands: Command[] = [
  {
    words: 'ready',
    summary: 'Ask the running service whether it is ready, and whether it runs this version; exit code 1 if not',
    options: {
      commit: option('COMMIT', 'The commit that it must run; by default the version and commit of this command'),
      wait: option('SECONDS', 'How long to wait until it is ready; by default 0', wholeNumber(0, 3600)),
      json: JSON_OPTION,
    },
    run,
  },
];

const POLL_MS = 200;

/** What `/readyz` answers, by a version that says its commit or by an older one. */
interface Ready {
  ready: boolean;
  version?: string;
  commit?: string;
  checks: Readonly<Record<string, string>>;
}

async function run(input: Input): Promise<void> {
  const config = readConfig(environment());
  const waitMs = Number(input.optional('wait') ?? 0) * 1000;
  const { path } = config.INTERNAL_LISTEN;
  const place = path ?? internalAddress(config.INTERNAL_LISTEN);
  const began = performance.now();
  for (;;) {
    const answer = await askInternal(config, '/readyz').then(({ body }) => parsed(body), String);
    if (typeof answer !== 'string' && answer.ready) return printed(input, answer, place);
    if (performance.now() - began >= waitMs) throw notReady(answer, place, waitMs);
    await pause(POLL_MS);
  }
}

function parsed(body: string): Ready | string {
  try {
    const answer = JSON.parse(body) as Ready;
    return typeof answer.ready === 'boolean' ? answer : 'Another program answers';
  } catch {
    return 'Another program answers';
  }
}

function notReady(answer: Ready | string, place: string, waitMs: number): TemporaryError {
  const waited = waitMs === 0 ? '' : ` after ${waitMs / 1000} s`;
  if (typeof answer === 'string') return new TemporaryError(`No service answers at ${place}${waited}: ${answer}.`);
  const failed = Object.entries(answer.checks).filter(([, result]) => result !== 'ok');
  const reasons = failed.map(([check, result]) => `${check}: ${result}`).join('; ');
  return new TemporaryError(`The service at ${place} is not ready${waited}: ${reasons}.`);
}

/** @throws TemporaryError if it is another version */
function printed(input: Input, { version, commit }: Ready, place: string): void {
  const expected = input.optional('commit') ?? COMMIT;
  if (version === undefined)
    throw new TemporaryError(
      `The service at ${place} is ready, but of a version before this one, which does not say its commit.`,
    );
  const isExpected = expected === '' || commit === '' ? version === VERSION : commit === expected;
  if (!isExpected)
    throw new TemporaryError(
      `The service at ${place} is ready, but runs ${named(version, commit)}, not ${named(input.optional('commit') === undefined ? VERSION : '', expected)}.`,
    );
  input.print({ ready: true, version, commit });
}

const named = (version: string, commit = ''): string =>
  [version !== '' && `version ${version}`, commit !== '' && `commit ${commit}`]
    .filter((part) => part !== false)
    .join(', ');
