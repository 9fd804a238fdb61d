import { spawnSync } from 'node:child_process';
import { setTimeout as pause } from 'node:timers/promises';
import type { Config } from '#platform/config/config.ts';
import { TemporaryError, UsageError } from '#platform/errors.ts';
import { keyedHashUnder } from '#platform/crypto/secret-key.ts';
import { SELF_CHECK_HEADER, SELF_CHECK_PATH, selfCheckToken } from '#http/self-check.ts';
import { askInternal, internalAddress, send } from '../doctor/request.ts';

const READY_WITHIN_MS = 60_000;
const POLL_MS = 200;

/** Whether the running service is ready, as `/readyz` says. */
export const isReady = (config: Config): Promise<boolean> =>
  askInternal(config, '/readyz').then(
    ({ status }) => status === 200,
    () => false,
  );

/** Whether the service at the address of the data API is ready and has the secret key, so that it is not another network's. */
export async function isRunning(config: Config): Promise<boolean> {
  if (!(await isReady(config))) return false;
  const { API } = config.listen;
  const headers = { [SELF_CHECK_HEADER]: selfCheckToken(keyedHashUnder(config), 'API', Date.now()) };
  const sent = send(`http://${internalAddress(API)}${SELF_CHECK_PATH}`, headers, undefined, API.path);
  return await sent.then(
    ({ status }) => status === 200,
    () => false,
  );
}

/**
 * Enables and starts a unit of systemd and waits until its service is ready.
 * @param verb `restart` if its settings have changed, else `start`
 */
export async function startUnit(unit: string, verb: 'start' | 'restart', config: Config): Promise<void> {
  systemctl('enable', '--quiet', unit);
  systemctl(verb, unit);
  const until = performance.now() + READY_WITHIN_MS;
  while (!(await isReady(config))) {
    const { status } = spawnSync('systemctl', ['is-failed', '--quiet', unit]);
    if (status === 0 || performance.now() > until)
      throw new TemporaryError(`The unit ${unit} does not become ready. Its log: journalctl -u ${unit} -n 20`);
    await pause(POLL_MS);
  }
}

/** Continues this process as the user of the unit, who owns the database. */
export function becomeUserOf(unit: string): void {
  const user = systemctl('show', '--property=User', '--value', unit);
  const group = systemctl('show', '--property=Group', '--value', unit) || user;
  if (user === '') return;
  process.setgroups!([group]);
  process.setgid!(group);
  process.setuid!(user);
}

/** @returns what it prints */
function systemctl(...args: string[]): string {
  const { status, stdout, stderr, error } = spawnSync('systemctl', args, { encoding: 'utf8' });
  if (status === 0) return stdout.trim();
  throw new UsageError(
    `systemctl ${args.join(' ')} failed: ${(error?.message ?? stderr.trim()) || `exit code ${status}`}.`,
  );
}
