import { isShownText } from '#text/text.ts';

/** Checks the syntax of an e-mail address; only a mail proves that it exists. */
export function isEmail(text: string): boolean {
  return (
    text.length <= 254 &&
    isShownText(text) &&
    /^[^\s@<>"(),:;[\]\\]{1,64}@[^\s@<>"(),:;[\]\\]+\.[^\s@.]{2,}$/.test(text)
  );
}
