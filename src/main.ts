import { enableCompileCache } from 'node:module';
import { join } from 'node:path';

// Node stores modules here without their types and compiled: the next start takes less CPU time and memory. Threads read the
// variable. The folder must be known before the first module of ours is loaded, so the commands are imported afterwards.
process.env['NODE_COMPILE_CACHE'] ??= join(import.meta.dirname, '../node_modules/.cache/compiled');
enableCompileCache(process.env['NODE_COMPILE_CACHE']);

const { run } = await import('#cli/dispatch.ts');
process.exitCode = (await run(process.argv.slice(2))) || process.exitCode;
