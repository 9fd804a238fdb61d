import { flushCompileCache } from 'node:module';
import { type Config, type Environment, readConfig, SETTINGS } from '#platform/config/config.ts';
import { environment } from '#platform/config/environment.ts';
import { commandName, factorCodeCommand, operatorCommand } from '#context/command-name.ts';
import { isLoopback, staffNeedsFactor } from '#platform/config/plain-http.ts';
import { output } from '#platform/process/output.ts';
import { type AppContext, openAppContext } from '#context/context.ts';
import { TemporaryError } from '#platform/errors.ts';
import { checkWritable, isReadOnlyServer } from '#store/installation/writable.ts';
import { hasOperator } from '#store/accounts/accounts.ts';
import { type StaffMember, staffWithoutFactor } from '#store/accounts/factors.ts';
import { mapNames } from '#store/game/maps/maps.ts';
import { storeMatchPrivacy } from '#store/game/hidden-players.ts';
import { listServers } from '#store/game/servers.ts';
import { openServicesInThreads } from '#server/workers.ts';
import type { Command } from './command/command.ts';
import { checkLocally } from './doctor/local.ts';
import { refuseStart } from './doctor/start-rules.ts';
import { untilSignalled } from '#platform/process/signals.ts';

export const commands: Command[] = [
  { words: 'serve', summary: 'Start all services and serve until SIGINT or SIGTERM', run: serve },
];

export async function serve(): Promise<void> {
  const signalled = untilSignalled();
  const warnings: string[] = [];
  const found = environment(process.env, process.cwd(), (sentence) => warnings.push(sentence));
  const config = readConfig(found);
  refuseStart(config);
  await using context = await openAppContext(config);
  await refuseReadOnly(context);
  for (const sentence of warnings) context.log.warn(sentence);
  await storeMatchPrivacy(context.db, context.clock.now(), config.PRIVATE_IN_MATCHES === 'hidden');
  await warnOfFindings(context, found);
  await using services = await openServicesInThreads(context);
  for (const [service, address] of Object.entries(services.addresses)) context.log.info({ service, address }, 'open');
  context.log.info({ service: 'INTERNAL', address: services.internal }, 'open');
  output().write(`ready\nThe site is at ${context.config.SITE_URL}\n${await nextStep(context)}`);
  // Otherwise only an orderly end writes the cache, without which the next start takes longer and more memory.
  flushCompileCache();
  await signalled;
}

/** Logs what the doctor would find in settings and files, once; while all addresses are on this machine, only what is wrong. */
async function warnOfFindings({ config, clock, log }: AppContext, variables: Environment): Promise<void> {
  const findings = await checkLocally({ config, environment: variables, db: undefined, now: clock.now() });
  const least = isLoopback(config.SITE_URL) ? ['error'] : ['error', 'warning'];
  for (const { check, status, message, remedy } of findings)
    if (least.includes(status)) log.warn({ check, remedy }, message);
}

/** Without this check every service and job would report the same error. */
async function refuseReadOnly({ db }: AppContext): Promise<void> {
  try {
    await checkWritable(db);
  } catch (error) {
    if (!isReadOnlyServer(error)) throw error;
    throw new TemporaryError('The PostgreSQL server is read-only, as a standby is. Set DATABASE_URL to the primary.');
  }
}

/** The first command that this network still needs, as one line each, or what to do without settings; empty once game servers report. */
export async function nextStep({ db, config, clock }: AppContext): Promise<string> {
  const run = `Next: ${commandName()}`;
  const servers = await listServers(db, 0);
  if (!(await hasOperator(db))) return hasNoSettings(config) ? firstStep() : `Next: ${operatorCommand()}\n`;
  const without = staffNeedsFactor(config) ? await staffWithoutFactor(db) : [];
  // The others have the code already, and another one would replace it.
  const staff = without.filter(({ code_expires }) => (code_expires ?? 0) < clock.now());
  if (staff.length > 0) return staff.map(needsFactor).join('');
  if (servers.length === 0) return `${run} server create --name NAME --region REGION\n`;
  if ((await mapNames(db)).length === 0) return `${run} import pgm-maps DIR\n`;
  return '';
}

const hasNoSettings = ({ NETWORK_NAME, SITE_URL }: Config): boolean =>
  NETWORK_NAME === SETTINGS.NETWORK_NAME.default && isLoopback(SITE_URL);

const firstStep = (): string =>
  'This is an empty network without settings, for this machine alone.\n' +
  `Settings, proxy and operator of your own network: ${commandName()} setup\n` +
  `An invented network to look at: ${commandName()} demo\n`;

const needsFactor = ({ name, role }: StaffMember): string =>
  `The console is closed to ${name} (${role}), who has no second factor. Next: ${factorCodeCommand(name)}\n`;
