import { spawnSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { Person } from '#test/auth/person.ts';
import type { Report } from '../report.ts';
import { databases, type Dialect, dialectsOf } from '../support/databases.ts';
import { ROOT } from '../support/programs.ts';
import { CALLBACK, ClusterLoad, type Users } from './cluster-load.ts';
import { ask } from './https.ts';
import { freeAddresses, serveInstallation } from './installation.ts';
import type { Service } from './proxy.ts';
import { addStored, untilServed } from './rolling-upgrade.ts';

/** The last commit whose installation is the clone itself, without releases. */
const FORMER = 'b5f91f1';
const ACCOUNT = { name: 'Owner', password: 'a password that nobody guesses' };

/** Upgrades an installation of the former layout, with what its own commands and pages created, while servers send. */
export async function testFormerLayout(report: Report, folder: string): Promise<void> {
  const former = join(folder, 'former');
  mkdirSync(former);
  const script = `git archive ${FORMER} | tar -x -C ${former} && cd ${former} && npm ci --omit=dev --ignore-scripts --no-audit --no-fund`;
  const made = spawnSync('sh', ['-ec', script], { cwd: ROOT, encoding: 'utf8' });
  if (made.status !== 0) return report.add(`former layout: ${FORMER}`, made.stderr.slice(-300), false);
  for (const dialect of dialectsOf('')) await upgrade(report, { dialect, former, folder: join(folder, dialect) });
}

interface Trial {
  dialect: Dialect;
  former: string;
  folder: string;
}

async function upgrade(report: Report, { dialect, former, folder }: Trial): Promise<void> {
  const name = `former layout, ${dialect}`;
  await using server = await databases(dialect);
  const database = await server.create();
  const urls = await freeAddresses();
  const settings = {
    ...urls,
    ...{ DATABASE_URL: database, DATA_FOLDER: folder, INTERNAL_LISTEN: '127.0.0.1:0', LOG_LEVEL: 'error' },
    ...{ APP_LIMIT: '100000000', INGEST_WEIGHT_LIMIT: '0', NEW_PLAYERS_LIMIT: '0', REVOCATION_LOG: 'off' },
  };
  const addresses = Object.fromEntries(
    Object.entries(urls).map(([setting, url]) => [setting.replace('_URL', ''), url]),
  ) as Record<Service, string>;
  const old = await serveInstallation(settings, [], former);
  const users = await createUsers(former, settings, addresses.AUTH);
  const person = new Person(addresses.AUTH, { connection: 'close' });
  const isSignedIn = await signIn(person, users);
  const load = new ClusterLoad(addresses, users, '');
  await untilServed(load, 10);
  const before = { matches: load.acknowledged.length, tokens: load.tokens.length };
  await old.stop();
  await using _ = await serveInstallation(settings);
  await untilServed(load, Math.min(...Object.values(load.answered)) + 10);
  await load.finish();
  report.note(`${name}: before the upgrade`, `${before.matches} matches, ${before.tokens} sign-ins`);
  await addStored(report, name, database, load);
  let valid = 0;
  for (const token of load.tokens) {
    const headers = { authorization: `Bearer ${token}` };
    if ((await ask(`${addresses.AUTH}/oauth/userinfo`, { headers })).status === 200) valid++;
  }
  const tokens = `${valid} of ${load.tokens.length}`;
  report.add(`${name}: tokens of sign-ins that are valid`, tokens, valid === load.tokens.length && before.tokens > 0);
  const headers = { authorization: `Bearer ${users.token}` };
  const { status } = await ask(`${addresses.API}/v1/matches?limit=5`, { headers });
  report.add(`${name}: the token of an application`, String(status), status === 200);
  await person.open(authorization(users));
  const isKept = person.page.url.startsWith(CALLBACK);
  report.add(`${name}: the session of a browser`, isKept ? 'kept' : person.page.url, isSignedIn && isKept);
  report.add(`${name}: broken answers`, load.broken.slice(0, 3).join('; ') || 'none', load.broken.length === 0);
}

const authorization = ({ client }: Users): string =>
  `/oauth/authorize?${new URLSearchParams({
    ...{ client_id: client.client_id, response_type: 'code', scope: 'openid', redirect_uri: CALLBACK, state: 's' },
  })}`;

async function signIn(person: Person, users: Users): Promise<boolean> {
  await person.open(authorization(users));
  await person.submit({ login: ACCOUNT.name, password: ACCOUNT.password });
  if (person.page.html.includes('/consent"')) await person.submit({}, '/consent');
  return person.page.url.startsWith(CALLBACK);
}

/** Creates what the load needs by commands of the former version. */
async function createUsers(former: string, settings: NodeJS.ProcessEnv, auth: string): Promise<Users> {
  const run = (input: string, ...args: string[]): Record<string, string> => {
    const command = [join(former, 'src/main.ts'), ...args, '--json'];
    const env = { PATH: process.env['PATH'], ...settings };
    const { status, stdout, stderr } = spawnSync(process.execPath, command, {
      cwd: former,
      env,
      input,
      encoding: 'utf8',
    });
    if (status !== 0) throw new Error(`scorehall ${args.join(' ')} of ${FORMER}: ${stderr}`);
    return JSON.parse(stdout) as Record<string, string>;
  };
  const about = ['--name', ACCOUNT.name, '--email', 'owner@loadtest.example', '--password-stdin', '--verified'];
  run(`${ACCOUNT.password}\n`, 'account', 'create', ...about);
  const type = ['--type', 'service', '--redirect-uri', CALLBACK, '--access', 'approved'];
  const { client_id, client_secret } = run('', 'app', 'create', '--name', 'Sign-in', ...type);
  const { ingest_key } = run('', 'server', 'create', '--name', 'Alpha', '--region', 'eu');
  const client = { client_id: client_id!, client_secret: client_secret! };
  const body = new URLSearchParams({ ...client, grant_type: 'client_credentials' });
  const response = await fetch(`${auth}/oauth/token`, { method: 'POST', body });
  const { access_token } = (await response.json()) as { access_token?: string };
  if (access_token === undefined) throw new Error(`The token endpoint of ${FORMER} answers ${response.status}.`);
  return { keys: [ingest_key!], token: access_token, client, account: ACCOUNT };
}
