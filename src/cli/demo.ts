import { relative } from 'node:path';
import { type Config, readConfig } from '#platform/config/config.ts';
import { UsageError } from '#platform/errors.ts';
import { output } from '#platform/process/output.ts';
import { demoAccounts, demoApps, demoIngestKey } from '#demo/credentials.ts';
import { fillInProcess } from '#demo/filling.ts';
import { type DemoFacts, DemoFolder } from '#demo/folder.ts';
import { sendPresence, keepSendingPresence } from '#demo/presence.ts';
import { describe, Progress } from '#demo/output.ts';
import { checkServices } from '#server/check-services.ts';
import { demoSettings } from '#demo/settings.ts';
import { type AppContext, openAppContext } from '#context/context.ts';
import { issueClientToken } from '#store/applications/tokens.ts';
import { NETWORK, sampleNetwork } from '#demo/network/index.ts';
import { LOGO } from '#demo/network/logo.ts';
import { openServicesInThreads } from '#server/workers.ts';
import { type Command, type Input, option, wholeNumber } from './command/command.ts';
import { untilSignalled } from '#platform/process/signals.ts';

const TOKEN_MS = 30 * 24 * 3_600_000;
const SEED = 'gullwing';
const MATCHES = 5000;

export const commands: Command[] = [
  {
    words: 'demo',
    summary: 'Serve an invented network with weeks of generated history, until SIGINT or SIGTERM',
    options: {
      folder: option('DIR', 'The folder for all files of the demo (default: data/demo)'),
      database: option('URL', 'An empty PostgreSQL database, postgres://…, instead of a SQLite file in the folder'),
      matches: option('N', `The number of matches to generate (default: ${MATCHES})`, wholeNumber(1, 999_999)),
    },
    run: demo,
  },
];

async function demo(input: Input): Promise<void> {
  const stop = new AbortController();
  const signalled = untilSignalled().then(() => stop.abort());
  const matches = input.number('matches') ?? MATCHES;
  const folder = new DemoFolder(input.optional('folder') ?? 'data/demo');
  await refuseSecond(folder);
  await using context = await openAppContext(await configOf(folder, input.optional('database')));
  await fillDatabase(context, folder, matches, stop.signal);
  if (stop.signal.aborted) return;
  const sample = sampleNetwork(folder.state()!);
  await sendPresence(context, sample);
  await using services = await openServicesInThreads(context);
  await using tasks = new AsyncDisposableStack();
  tasks.use(keepSendingPresence(context, sample));
  const facts = { ...(await factsOf(context, folder)), internal_url: services.internal };
  folder.writeFacts(facts);
  await checkServices(services);
  output().write(`${describe(facts, relative('', folder.factsFile))}\nready\n`);
  await signalled;
}

async function refuseSecond(folder: DemoFolder): Promise<void> {
  const { api_url } = folder.facts();
  if (api_url === undefined || !isRunning(folder.state()?.process)) return;
  const responds = await fetch(`${api_url}/v1/openapi.json`).then(
    (response) => response.arrayBuffer().then(() => true),
    () => false,
  );
  if (responds)
    throw new UsageError(`This demo is already running at ${api_url}. A second demo needs its own folder (--folder).`);
}

function isRunning(id: number | undefined): boolean {
  if (id === undefined || id === process.pid) return false;
  try {
    return process.kill(id, 0);
  } catch {
    return false;
  }
}

async function configOf(folder: DemoFolder, database = folder.database): Promise<Config> {
  const defaults = { LOGO: folder.writeLogo(LOGO), DATA_FOLDER: folder.path };
  const settings = await demoSettings(defaults, process.env);
  folder.writeSettings(settings);
  return readConfig({ LOG_LEVEL: 'warn', ...settings, DATABASE_URL: database });
}

/** Fills the database if it is not complete yet. */
async function fillDatabase(
  { config, clock }: AppContext,
  folder: DemoFolder,
  matches: number,
  stop: AbortSignal,
): Promise<void> {
  const started = performance.now();
  const progress = new Progress(`Generating the network ${NETWORK} in ${relative('', folder.path)}`, matches);
  const wanted = { database_url: config.DATABASE_URL, seed: SEED, now: clock.now(), matches, process: process.pid };
  await fillInProcess({ config, folder: folder.path, wanted }, (count) => progress.show(count), stop);
  progress.end(`${((performance.now() - started) / 1000).toFixed(1)} s`);
}

async function factsOf(
  { db, clock, config }: AppContext,
  folder: DemoFolder,
): Promise<Omit<DemoFacts, 'internal_url'>> {
  const now = clock.now();
  const earlier = folder.facts();
  const apps = await demoApps(db, now, earlier);
  const service = apps.find(({ type }) => type === 'service')!;
  return {
    api_url: config.API_URL,
    auth_url: config.AUTH_URL,
    site_url: config.SITE_URL,
    ingest_url: config.INGEST_URL,
    apps,
    accounts: await demoAccounts(db, now, earlier),
    ingest_key: await demoIngestKey(db, now, earlier),
    access_token: await issueClientToken(db, now, service.client_id, TOKEN_MS),
    database_url: config.DATABASE_URL,
  };
}
