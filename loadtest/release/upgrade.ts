import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { setTimeout as pause } from 'node:timers/promises';
import type { Container } from '../operate/container.ts';
import { addOutcome, aptInstall, bootBare, endOf, untilAnswered } from './machine.ts';
import { type FormerPackages, makeFailing, makeFormer } from './other-versions.ts';
import { beginNetwork, commitOf, createGameServer, keyIn, showsPlayer, SITE, startAgent } from './own-network.ts';
import type { DebianSetup } from './setup.ts';

interface Versions extends FormerPackages {
  failing: string;
  migrating: string;
}

/** Made once for all Debians. */
const made = new Map<string, Promise<Versions>>();

async function makeVersions({ artefacts, folder }: DebianSetup): Promise<Versions> {
  const former = await makeFormer(artefacts.service, folder);
  const failing = await makeFailing(artefacts.service, folder);
  return { ...former, failing, migrating: await makeFailing(artefacts.service, folder, true) };
}

/** From the packages of the commit before to those of the release, then to versions that cannot serve. */
export async function testUpgrade(setup: DebianSetup): Promise<void> {
  const { report, suite, artefacts, folder } = setup;
  const versions = made.get(folder) ?? makeVersions(setup);
  made.set(folder, versions);
  const { service, agent, commit, failing, migrating } = await versions;
  const files = [service, agent, artefacts.service, artefacts.agent, failing, migrating];
  await using container = await bootBare(setup, files);
  createGameServer(container);
  if (!addOutcome(setup, 'packages of the commit before', container.shell(aptInstall(service, agent)))) return;
  const begin = beginNetwork(container);
  if (!addOutcome(setup, 'scorehall setup', begin)) return;
  startAgent(container, keyIn(begin));
  report.add(`${suite}: a player before the upgrade`, 'shown', await showsPlayer(container, 'Before'));
  report.add(`${suite}: commit before the upgrade`, commitOf(container), commitOf(container) === commit);

  const watched = watch(container);
  const upgraded = container.shell(aptInstall(artefacts.service, artefacts.agent));
  addOutcome(setup, 'upgrade', upgraded);
  report.note(`${suite}: seconds without an answer of the site`, await watched());
  const present = commitOf(container);
  const isPrinted = present !== commit && upgraded.text.includes(`${present} is ready: scorehall.service.`);
  report.add(`${suite}: the commit that serves is printed`, present, isPrinted);
  await addPlayers(setup, container, 'after the upgrade', ['Before', 'After']);

  const before = filesOf(container);
  // apt prints all that a package says to its standard output.
  const failed = container.shell(aptInstall(failing));
  const isBack = failed.status !== 0 && failed.text.includes('The files of the version before are back and serve');
  report.add(`${suite}: a failing version`, isBack ? `goes back, exit code ${failed.status}` : endOf(failed), isBack);
  const reason = /Last line of its log: (.*)/.exec(failed.text)?.[1] ?? 'none';
  report.add(`${suite}: its reason`, reason, reason === 'scorehall: A broken version.');
  report.add(`${suite}: commit after it`, commitOf(container), commitOf(container) === present);
  const changed = filesOf(container).filter((line) => !before.includes(line));
  report.add(`${suite}: program, units and command after it`, changed.join(', ') || 'as before', changed.length === 0);
  const unit = container.run(['systemctl', 'show', 'scorehall', '--property=NeedDaemonReload', '--value']).text;
  report.add(`${suite}: the units have to be loaded again`, unit, unit === 'no');
  addOutcome(setup, 'the package of the version before again', container.shell(aptInstall(artefacts.service)));
  const audit = endOf(container.run(['dpkg', '--audit']));
  report.add(`${suite}: dpkg --audit`, audit || 'none', audit === '');
  await addPlayers(setup, container, 'after the way back', ['Before', 'After', 'Returned']);

  const stays = container.shell(aptInstall(migrating));
  const isTold = stays.status !== 0 && stays.text.includes('The version before is not known to be able to use the');
  report.add(
    `${suite}: a failing version after its offline migration`,
    isTold ? 'stays and says so' : endOf(stays),
    isTold,
  );
}

/** The checksums of what the package installs to run. */
const filesOf = (container: Container): string[] =>
  container
    .shell('find /usr/lib/scorehall /usr/lib/systemd/system/scorehall* /usr/bin/scorehall -type f -exec md5sum {} +')
    .text.split('\n');

async function addPlayers(setup: DebianSetup, container: Container, when: string, names: string[]): Promise<void> {
  const newest = names.at(-1)!;
  const isShown = await showsPlayer(container, newest);
  const missing = names.filter(
    (name) => !container.beside(['curl', '--silent', '--fail', '--location', `${SITE}/players/${name}`]).text,
  );
  const figure = missing.length === 0 && isShown ? names.join(', ') : `missing: ${missing.join(', ') || newest}`;
  setup.report.add(`${setup.suite}: players ${when}`, figure, missing.length === 0 && isShown);
}

/** Asks the site ten times a second. @returns what ends it, and tells the longest time between two right answers */
function watch(container: Container): () => Promise<string> {
  const ask = `curl --silent --output /dev/null --max-time 2 --write-out "%{http_code} " ${SITE}/`;
  const child = container.startBeside(['sh', '-c', `while :; do ${ask}; date +%s.%N; sleep 0.1; done`]);
  const printed = text(child.stdout!);
  return async () => {
    await untilAnswered(container, SITE, (page) => page.includes('Alpha'));
    await pause(1000);
    child.kill();
    await once(child, 'exit');
    const lines = (await printed).split('\n').filter((line) => line.startsWith('200 '));
    const times = lines.map((line) => Number(line.slice(4)));
    return Math.max(...times.slice(1).map((time, index) => time - times[index]!)).toFixed(1);
  };
}
