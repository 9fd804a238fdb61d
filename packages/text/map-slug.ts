/** The id of a map without its own `<slug>`: `StringUtils.slugify` of PGM. */
export const mapSlug = (name: string): string =>
  name
    .normalize('NFD')
    .replaceAll(/[^A-Za-z0-9_ ]/g, '')
    .replaceAll(' ', '_')
    .toLowerCase();
