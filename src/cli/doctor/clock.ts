import { spawnSync } from 'node:child_process';
import { type Found, type Installation, ok, warning } from './finding.ts';

/** Checks whether the system sets its clock by the network. Codes of sign-in and expiry of tokens depend on the time. */
export function checkClock({ now, config }: Installation): Found {
  const time = `It is ${new Date(now).toLocaleString('en-GB', { timeZone: config.TIME_ZONE })} in ${config.TIME_ZONE}`;
  const { stdout } = spawnSync('timedatectl', ['show', '--property=NTPSynchronized', '--value'], {
    encoding: 'utf8',
    timeout: 5_000,
  });
  if (stdout?.trim() === 'no')
    return warning('clock', `${time}, but the clock is not synchronised.`, 'timedatectl set-ntp true');
  return ok('clock', `${time}${stdout?.trim() === 'yes' ? ', synchronised' : ''}.`);
}
