/** How the engine is to run the service, by where its database is. Plain JavaScript, as run.mjs is, which needs it. */
export function flagsFor(databaseUrl = '') {
  return [
    // Room for young objects as large as pays. Of requests that wait for PostgreSQL many are young at the same moment; a
    // process with SQLite would only become larger by 40 MB.
    `--max-semi-space-size=${/^postgres/.test(databaseUrl) ? 16 : 8}`,
    // The engine may take what lives long while a process starts for what always will, and never reconsiders: every
    // request then leaves old objects behind that hold young ones, a fifth of all work in one process of two.
    '--no-allocation-site-pretenuring',
  ];
}

/**
 * What a process of the service finds in its environment where nothing else is said. SQLite's memory, which glibc hands
 * out, lies in huge pages where the system grants them to whoever asks (transparent_hugepage=madvise): reads of far-apart
 * rows are a twentieth cheaper.
 */
export const ENVIRONMENT = { GLIBC_TUNABLES: 'glibc.malloc.hugetlb=1' };
