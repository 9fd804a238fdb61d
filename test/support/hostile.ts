/** Names that an attacker might choose: markup, quotes, direction marks, very long lines. */
export const HOSTILE = [
  `<script>alert(1)</script>`,
  `"><img src=x onerror=alert(1)>`,
  `' onmouseover='alert(1)' x='`,
  `</title></textarea><svg onload=alert(1)>`,
  `&lt;b&gt; &amp;#60; {{7*7}} \${7*7}`,
  `javascript:alert(1)//`,
  `\u200ftxet desrever\u200e \u05d0\u05d1\u05d2 \u0627\u0644`,
  `]]><!--<script>--!>`,
  'W'.repeat(64),
];

/** Characters that no name may contain: they reorder the text after them, or are invisible. */
export const TURNING = [
  '\u202e',
  '\u202a',
  '\u202d',
  '\u202c',
  '\u2066',
  '\u2067',
  '\u2068',
  '\u2069',
  '\u0085',
  '\u009b',
];

/** Markup of a page that a hostile text has produced. */
export function strangeIn(body: string): string[] {
  const tags = body.match(/<(script|img|svg|b|textarea|title|a|input|option|bdi|strong)\b[^>]*>/gi) ?? [];
  const strange = tags.filter((tag) => /\son[a-z]+=['"]?alert|\sonmouseover|src=x|alert\(1\)>/i.test(unquoted(tag)));
  return [...strange, ...(body.match(/<script>|<!--|href="javascript:/gi) ?? [])];
}

/** A tag without its quoted attribute values, which may contain any text. */
const unquoted = (tag: string): string => tag.replace(/="[^"]*"/g, '=""');
