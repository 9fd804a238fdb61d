import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Report } from '../report.ts';
import { findProgram, ROOT } from '../support/programs.ts';

/** What DedicatedServerProperties of Minecraft 1.21.9 must read for a management server without TLS on this machine. */
const EXPECTED = [
  '[management-server-enabled] [true]',
  '[management-server-host] [127.0.0.1]',
  '[management-server-port] [25585]',
  '[management-server-tls-enabled] [false]',
];

/** Loads the lines that docs/connect.md prints for server.properties with java.util.Properties, as the game server does. */
export function checkServerProperties(report: Report): void {
  const java = findProgram('java');
  if (java === undefined) return report.add('java', 'is missing: apt-get install openjdk-17-jdk-headless', false);
  const document = readFileSync(join(ROOT, 'docs/connect.md'), 'utf8');
  const section = document.slice(document.indexOf('\n## The management protocol\n'));
  const [lines = ''] = /(?:^ {4}management-server-.*\n)+/m.exec(section) ?? [];
  const input = lines.replaceAll(/^ {4}/gm, '');
  const { stdout, stderr } = spawnSync(java, [join(import.meta.dirname, 'LoadProperties.java')], {
    input,
    encoding: 'utf8',
  });
  const read = stdout.trim().split('\n').toSorted();
  report.add(
    'java.util.Properties reads the lines of docs/connect.md',
    read.join(' ') || stderr,
    read.join() === EXPECTED.join(),
  );
}
