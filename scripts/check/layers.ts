// The layers of the tree. A file may import files of the same folder of its layer and of lower layers only.

/** Functions on texts and times that know neither the service nor the game's data: the service and `packages/` share them. */
export const SHARED = 'packages/text/';

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
  ['src/api/', 'src/auth/', 'src/console/', 'src/ingest/', 'src/site/', 'src/webhooks/', 'src/connectors/'],
  // What pages, commands and files of operators have in common.
  ['src/admin/'],
  ['src/events/'],
  // Mails and their texts, which pages, commands and background jobs send.
  ['src/mails/'],
  ['src/http/'],
  ['src/context/'],
  ['src/store/'],
  ['src/db/'],
  ['src/platform/'],
  [SHARED],
];

/**
 * What runs without the service: programs that others install, and readers of other programs. They import nothing of the
 * service, and only these folders import them.
 */
export const PACKAGES = 'packages/';
export const PACKAGES_IMPORTED_BY = ['src/cli/', 'src/connectors/', 'src/ingest/'];
