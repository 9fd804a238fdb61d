import { setTimeout as pause } from 'node:timers/promises';
import type { Container } from '../operate/container.ts';
import { addOutcome, addTraces, aptInstall, bootBare, endOf, inventory, untilAnswered } from './machine.ts';
import { beginNetwork, createGameServer, INTERNAL, keyIn, showsPlayer, SITE, startAgent } from './own-network.ts';
import type { DebianSetup } from './setup.ts';

const WITHIN_S = 60;
const SETTLE_MS = 120_000;
const STARTS = 5;
const CONTROL_GROUP = '/sys/fs/cgroup/system.slice/scorehall.service';

/** From the packages to one's own server on one's own page, then until nothing of them is left. */
export async function testPackage(setup: DebianSetup): Promise<void> {
  const { report, suite, artefacts } = setup;
  const files = [artefacts.service, artefacts.agent];
  await using container = await bootBare(setup, files);
  createGameServer(container);
  const before = inventory(container);

  const started = performance.now();
  const seconds = (): string => ((performance.now() - started) / 1000).toFixed(1);
  if (!addOutcome(setup, 'apt-get install', container.shell(aptInstall(...files)))) return;
  report.note(`${suite}: seconds, installed`, seconds());
  const begin = beginNetwork(container);
  if (!addOutcome(setup, 'scorehall setup, server create', begin)) return;
  report.note(`${suite}: seconds, set up`, seconds());
  if (!addOutcome(setup, 'the unit of the agent', startAgent(container, keyIn(begin)))) return;
  const isListed = await untilAnswered(container, SITE, (page) => page.includes('Alpha'));
  const isShown = isListed && (await showsPlayer(container, 'Saltmarten'));
  const name = `${suite}: seconds from the files to the player on one's own page`;
  report.add(name, seconds(), isShown && Number(seconds()) < WITHIN_S);
  if (!isShown) report.note(`${suite}: log of the agent`, container.run(['journalctl', '-u', 'scorehall-agent']).text);

  await addFootprint(setup, container);
  addOutcome(setup, 'backup of the timer', container.shell('systemctl start scorehall-backup.service'));
  addOutcome(setup, 'check of it', container.shell('scorehall backup --check /var/backups/scorehall/*.backup'));
  const modified = container.run(['dpkg', '--verify', 'scorehall', 'scorehall-agent']);
  const isUnchanged = modified.text.split('\n').every((line) => line === '' || / c \/etc\/scorehall\//.test(line));
  report.add(`${suite}: files other than in the packages`, isUnchanged ? 'the settings' : endOf(modified), isUnchanged);

  addOutcome(setup, 'apt-get remove', container.shell('apt-get remove --yes scorehall scorehall-agent'));
  const areThere =
    'test -s /etc/scorehall/scorehall.env && test -s /var/lib/scorehall/scorehall.db && ! command -v scorehall';
  addOutcome(setup, 'settings and data after it', container.shell(areThere));
  addOutcome(setup, 'apt-get install again', container.shell(aptInstall(...files)));
  addOutcome(setup, 'the service starts again', container.shell('scorehall setup --yes'));
  const isThere = await untilAnswered(container, `${SITE}/players/Saltmarten`, (page) => page.includes('Saltmarten'));
  report.add(`${suite}: the data after it`, isThere ? 'complete' : 'missing', isThere);

  const purge = 'apt-get purge --yes --autoremove scorehall scorehall-agent';
  addOutcome(setup, 'apt-get purge', container.shell(purge));
  const ofBackups = [/^file \/var\/backups\/scorehall(\/.*\.backup)?$/, /^(user|group) scorehall$/];
  addTraces(setup, 'traces after it beside the backups', { container, before, expected: ofBackups });
  addOutcome(setup, 'apt-get install, a third time', container.shell(aptInstall(...files)));
  addOutcome(setup, 'purge without backups', container.shell(`rm /var/backups/scorehall/*; ${purge}`));
  addTraces(setup, 'traces after it', { container, before });
}

/** Prints how long the service takes until it is ready, and its memory two minutes later. */
async function addFootprint({ report, suite }: DebianSetup, container: Container): Promise<void> {
  const starts: number[] = [];
  const cpu: number[] = [];
  for (let count = 0; count < STARTS; count++) {
    container.run(['systemctl', 'stop', 'scorehall']);
    const started = performance.now();
    container.run(['systemctl', 'start', 'scorehall']);
    await untilAnswered(container, `${INTERNAL}/readyz`, (answer) => answer.includes('"ready":true'));
    starts.push(performance.now() - started);
    cpu.push(Number(/^usage_usec (\d+)/m.exec(container.run(['cat', `${CONTROL_GROUP}/cpu.stat`]).text)?.[1]) / 1000);
  }
  const best = `${Math.round(Math.min(...starts))} ms, ${Math.round(Math.min(...cpu))} ms of CPU time`;
  report.note(`${suite}: start of the packaged service, best of ${STARTS}`, best);
  await pause(SETTLE_MS);
  const { text } = container.shell(`cat $(sed "s:.*:/proc/&/smaps_rollup:" ${CONTROL_GROUP}/cgroup.procs)`);
  const megabytes = (field: string): string => {
    const values = [...text.matchAll(new RegExp(`^${field}:\\s+(\\d+) kB`, 'gm'))].map(([, size]) => Number(size));
    return `${field.toUpperCase()} ${Math.round((values.reduce((sum, size) => sum + size, 0) * 1024) / 1e6)} MB`;
  };
  report.note(`${suite}: memory of the packaged service after two minutes`, `${megabytes('Pss')}, ${megabytes('Rss')}`);
}
