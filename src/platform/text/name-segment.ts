/**
 * Names as segments of a path. `.` and `..` are none: browsers and HTTP clients resolve them, percent-encoded, too. `me` and
 * what looks like an id mean something else. `name:` in front says that a name follows.
 */
const PREFIX = 'name:';

export const nameSegment = (name: string): string =>
  /^\.{1,2}$/.test(name) ? PREFIX + name : encodeURIComponent(name);

/** The name in a segment with the prefix. */
export const explicitName = (segment: string): string | undefined =>
  segment.startsWith(PREFIX) ? segment.slice(PREFIX.length) : undefined;
