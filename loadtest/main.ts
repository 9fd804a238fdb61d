import { numberOption, readOptions, runCommand } from '#bench/command.ts';
import { UsageError } from '#platform/errors.ts';
import type { LoadTestOptions } from './options.ts';
import { Report } from './report.ts';

const USAGE = `Runs load tests that are too heavy for the test suite, prints the measured figures, and exits with 1 when one misses its
target.

  npm run loadtest -- ingest                           everything, on both databases
  npm run loadtest -- ingest --only speed              one part: link, faults, speed, feed, reads
  npm run loadtest -- ingest --database sqlite         one database
  npm run loadtest -- ingest --matches 1000            fewer matches over the unreliable link
  npm run loadtest -- model --minutes 60               random histories, kills and operator acts, recomputed independently:
                                                       30 minutes on each database
  npm run loadtest -- model --seed 123                 one of them again
  npm run loadtest -- pressure                         honest users beside one abuser after another
  npm run loadtest -- pressure --only 'huge matches' --seconds 20   one abuser (their names: pressure/abusers.ts)
  npm run loadtest -- pressure --matches 1000          operators' acts on fewer than 20,000 matches
  npm run loadtest -- pressure --only night            the purge of a leaderboard day of 1,000,000 players
  npm run loadtest -- agent                            a day of a game server's files in 90 seconds (needs openssl, Java)
  npm run loadtest -- plugins                          compiles the Java plugins (needs a JDK), plays matches with them
  npm run loadtest -- operate                          packages, proxies (needs nginx, Caddy, promtool), drills, memory
  npm run loadtest -- operate --only proxies           one part: proxies, unit, image, processes, restore, move, upgrade, faults,
                                                       metrics, footprint, heaps
  npm run loadtest -- operate --only heaps --minutes 60   the heaps of all threads after ten minutes and after an hour of load
  npm run loadtest -- operate --only faults            faults of the database under load (needs pgbouncer)
  npm run loadtest -- operate --only upgrade           old database and layout (npm's registry), two processes one by one
  npm run loadtest -- operate --only unit              boots a Debian with the unit (root, debootstrap, systemd-container)
  npm run loadtest -- operate --only image             builds and runs the image with Docker or podman (NODE_IMAGE, BASE_IMAGE)
  npm run loadtest -- operate --only processes         three behind a proxy, killed under load; what 1, 2 and 4 give (root)
  npm run loadtest -- operate --only move --matches 50000   fewer than a million matches (upgrade and restore: 100,000)
  npm run loadtest -- operate --only move --database sqlite   one direction: from SQLite (postgres: from PostgreSQL)
  npm run loadtest -- release                          makes a release and uses it on bare Debians: demo, own network, upgrade,
                                                       removal, libraries (root; takes what the unit takes)
  npm run loadtest -- release --dist DIR               the artefacts in DIR
  npm run loadtest -- release --only package           one part: checks, archive, package, upgrade, libraries, image, rolling
  npm run loadtest -- clients                          generated clients call every endpoint (installs the generators)
  npm run loadtest -- clients --only runtimes          the client library in Bun and Deno (installs them)
  npm run loadtest -- watch                            1,000 watched servers, and a Minecraft server with bots (installs it)
  npm run loadtest -- watch --only many                one part: many, game
  npm run loadtest -- files                            lists the source files executed for a request of each service
  npm run loadtest -- databases                        imports from a real MariaDB (needs mariadb-server)
  npm run loadtest -- databases --only community       one part: litebans, tls, advancedban, community, plan
  npm run loadtest -- sign-in                          guesses from 50 addresses; secrets at rest after 1,000 sign-ins; key rotation
  npm run loadtest -- sign-in --only guesses           one part: secrets, rotation, guesses
  npm run loadtest -- changes                          mirrors of the feed of changes, subscribers, idle streams, live pages
  npm run loadtest -- changes --only mirrors --kills 10   one part: mirrors, subscribers, idle, live, python; 10 kills instead of 100
  npm run loadtest -- changes --only idle --matches 500   500 idle streams instead of 5,000
  npm run loadtest -- recording --out DIR              plays one history and writes everything that can be observed into DIR
  npm run loadtest -- recording --compare DIR          compares it with the recording of another revision

A part that lacks a program of these Debian packages misses its target and names it:
  agent       openssl, openjdk-17-jdk-headless
  plugins     openjdk-17-jdk-headless
  operate     openssl, nginx-light, caddy, prometheus, pgbouncer, systemd, podman or docker.io; unit: debootstrap, systemd-container
  release     debootstrap, systemd-container, lintian, piuparts, curl, openjdk-17-jdk-headless, podman or docker.io
  databases   mariadb-server, openssl
agent, and faults and restore of operate, need namespaces of users (unshare -Ur).`;

interface LoadTest {
  /** The names of its parts, for `--only`. */
  PARTS?: readonly string[];
  runLoadTest(options: LoadTestOptions, report: Report): Promise<void>;
}

const LOAD_TESTS: Record<string, () => Promise<LoadTest>> = {
  ingest: () => import('./ingest/run.ts'),
  model: () => import('./model/run.ts'),
  pressure: () => import('./pressure/run.ts'),
  agent: () => import('./agent/run.ts'),
  plugins: () => import('./plugins/run.ts'),
  operate: () => import('./operate/run.ts'),
  release: () => import('./release/run.ts'),
  clients: () => import('./clients/run.ts'),
  watch: () => import('./watch/run.ts'),
  databases: () => import('./databases/run.ts'),
  files: () => import('./files/run.ts'),
  'sign-in': () => import('./sign-in/run.ts'),
  changes: () => import('./changes/run.ts'),
  recording: () => import('./recording/run.ts'),
};

const OPTIONS = {
  only: { type: 'string' },
  database: { type: 'string', default: '' },
  matches: { type: 'string' },
  kills: { type: 'string' },
  minutes: { type: 'string', default: '2' },
  seconds: { type: 'string', default: '20' },
  seed: { type: 'string' },
  out: { type: 'string' },
  compare: { type: 'string' },
  dist: { type: 'string' },
} as const;

await runCommand(USAGE, async (args) => {
  const { values, positionals } = readOptions(USAGE, { args, allowPositionals: true, options: OPTIONS });
  const [name = ''] = positionals;
  const load = LOAD_TESTS[name];
  if (load === undefined || positionals.length > 1)
    throw new UsageError(`Name one load test: ${Object.keys(LOAD_TESTS).join(', ')}.`);
  if (!['', 'sqlite', 'postgres'].includes(values.database))
    throw new UsageError(`--database must be sqlite or postgres (it is "${values.database}").`);
  const loadTest = await load();
  const { PARTS = [] } = loadTest;
  const { only } = values;
  if (only !== undefined && !PARTS.includes(only))
    throw new UsageError(
      PARTS.length === 0
        ? `The load test ${name} has no parts; leave out --only.`
        : `--only must be one of ${PARTS.join(', ')} (it is "${only}").`,
    );
  const options: LoadTestOptions = {
    wants: (part) => only === undefined || only === part,
    database: values.database,
    matches: numberOption('matches', values.matches),
    kills: numberOption('kills', values.kills),
    minutes: numberOption('minutes', values.minutes, 'any')!,
    seconds: numberOption('seconds', values.seconds, 'any')!,
    seed: numberOption('seed', values.seed),
    out: values.out,
    compare: values.compare,
    dist: values.dist,
  };
  const report = new Report();
  await loadTest.runLoadTest(options, report);
  report.end();
});
