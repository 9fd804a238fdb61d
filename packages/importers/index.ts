/** What the commands of Scorehall use of the importers. */
export type { Core, ImportState, NetworkLookup } from './core.ts';
export { type Checkpoint, type Finding, InputError, type Where } from './finding.ts';
export { importMinecraft } from './minecraft.ts';
export { importPgmMaps } from './pgm-map.ts';
export { importRotations } from './rotation.ts';
export type { ServerChoice } from './server-choice.ts';
export { followDatabase } from './databases/follow.ts';
export { ImportedDatabase, PROGRAMS } from './databases/imported-database.ts';
export { readSourceAddress } from './databases/source-address.ts';
