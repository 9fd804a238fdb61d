// The layers of the tree. A file may import files of the same folder of its layer and of lower layers only.

/**
 * The layers from top to bottom. Folders of one layer never import each other.
 *
 * `store` is the lowest of the three shared layers, because data must not depend on the services that use it. `context`
 * opens the database and may prepare it through `store`. `http` is above `context`, because the type `HttpService` refers
 * to the context that every service gets.
 */
export const LAYERS: readonly (readonly string[])[] = [
  ['src/main.ts'],
  ['src/cli/'],
  ['demo/', 'src/server/'],
  ['src/api/', 'src/auth/', 'src/console/', 'src/ingest/', 'src/site/', 'src/connectors/'],
  // What pages, commands and files of operators have in common.
  ['src/admin/'],
  // Importers make events; events do not know where they come from.
  ['src/importers/'],
  ['src/events/'],
  ['src/http/'],
  ['src/context/'],
  ['src/store/'],
  ['src/db/'],
  ['src/platform/'],
];

/** Separate programs that others install. They import nothing of the service, and only these folders import them. */
export const PACKAGES = 'packages/';
export const PACKAGES_IMPORTED_BY = ['src/cli/', 'src/connectors/'];

/**
 * Below the layers, imports between two folders of `src` go one way as well:
 *
 * - Sibling folders, which have the same parent, never import each other both ways, subfolders included.
 * - A folder and its subfolder, if the subfolder imports files that lie directly in the folder: then only one of these
 *   files imports from the subfolder, the one that lists its contents (routes, handlers, tables). A subfolder that imports
 *   nothing of its parent is a lower layer, which every file of the folder may import.
 *
 * The violations that remain. An entry whose violation is gone is an error, too.
 */
export const TWO_WAY_SIBLINGS: readonly string[] = [
  'src/cli/app and src/cli/command',
  'src/cli/apply and src/cli/command',
  'src/cli/command and src/cli/database',
  'src/cli/command and src/cli/doctor',
  'src/cli/command and src/cli/import',
  'src/console/applications and src/console/operator',
];

/** Folders from which more than one file of the parent imports, although they import the parent. */
export const TWO_WAY_SUBFOLDERS: readonly string[] = ['src/api/auth', 'src/cli/command'];
