// The layers of the tree. A file imports its own folder and layers below; the structure check refuses all else.

/**
 * From top to bottom. Folders of one layer never import each other.
 *
 * The order of the three shared layers: `store` is lowest, because records must not know who serves them. `context` opens
 * the database and may prepare it through `store`. `http` comes above `context`, because the type of an HTTP service
 * (`HttpService`) names the context that every service gets.
 */
export const LAYERS: readonly (readonly string[])[] = [
  ['src/main.ts'],
  ['src/cli/'],
  ['demo/', 'src/server/'],
  ['src/api/', 'src/auth/', 'src/console/', 'src/ingest/', 'src/site/', 'src/webhooks/', 'src/connectors/'],
  // Importers make events; events do not know where they come from.
  ['src/importers/'],
  ['src/events/'],
  ['src/http/'],
  ['src/context/'],
  ['src/store/'],
  ['src/db/'],
  ['src/platform/'],
];

/** Programs of their own, which others install: they import nothing of the service, and few folders import them. */
export const PACKAGES = 'packages/';
export const PACKAGES_IMPORTED_BY = ['src/cli/', 'src/connectors/'];

/** A folder with more files directly in it is not read any more, only searched. */
export const MOST_FILES_IN_FOLDER = 25;
