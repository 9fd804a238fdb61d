/** A dot, also the ideographic and the fullwidth ones that browsers read as dots in hosts (UTS #46, RFC 3490). */
const DOT = '[.\\u3002\\uff0e\\uff61]';
const LABEL = '[\\p{L}\\p{N}\\p{M}_-]';

/** A scheme with its slashes, an e-mail address, an IP address, or a host: a dot between a label and a top-level domain. */
const ADDRESS = new RegExp(
  `:\\s*/\\s*/|[@\\uff20]|\\b(www|mailto|javascript|data)\\s*[${DOT.slice(1, -1)}:]|${LABEL}${DOT}\\p{L}${LABEL}|(\\d{1,3}${DOT}){3}\\d`,
  'iu',
);

/**
 * Whether a text has an address (URL, host, e-mail) that mail programs make clickable. A name that strangers see in a mail
 * of ours must have none: with it anybody could send their advertisement under our name.
 */
export function containsAddress(text: string): boolean {
  return ADDRESS.test(text.normalize('NFKC')) || ADDRESS.test(text);
}

/** The text without addresses, for mails about names from before `containsAddress` was asked: their signs become blanks. */
export function withoutAddresses(text: string): string {
  if (!containsAddress(text)) return text;
  return text
    .normalize('NFKC')
    .replace(/[@:/\\.\u3002\uff0e\uff61]/gu, ' ')
    .replace(/\s+/g, ' ')
    .trim();
}
