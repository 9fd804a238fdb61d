import { readFileSync } from 'node:fs';

/**
 * The packages of the agent, by their file in deploy/agent: the Node of the project for each platform, with the versions and
 * hashes of package-lock.json, and none of the packages of the service.
 */

interface Lock {
  packages: Record<string, { optionalDependencies?: Record<string, string> }>;
}

const lock = JSON.parse(readFileSync(new URL('../package-lock.json', import.meta.url), 'utf8')) as Lock;
const names = lock.packages['']!.optionalDependencies!;
const name = 'scorehall-agent';
const head = { name, license: 'MIT', optionalDependencies: names };

export const AGENT_PACKAGES: Readonly<Record<string, string>> = {
  'package.json': formatted({ ...head, private: true }),
  'package-lock.json': formatted({
    name,
    lockfileVersion: 3,
    requires: true,
    packages: {
      '': head,
      ...Object.fromEntries(
        Object.keys(names).map((name) => [`node_modules/${name}`, lock.packages[`node_modules/${name}`]]),
      ),
    },
  }),
};

function formatted(content: object): string {
  return `${JSON.stringify(content, null, 2)}\n`;
}
