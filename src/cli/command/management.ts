import { checkAuthorities } from '#platform/crypto/authorities.ts';
import { UsageError } from '#platform/errors.ts';
import type { ManageTarget } from '#store/game/watches/managed-servers.ts';
import { isManagementSecret, MANAGEMENT_URL_FORMS, readManagementUrl } from '#store/game/watches/management-url.ts';

/** What an operator gives for a management connection: the address, and the content of two files. */
export interface ManagementTexts {
  url: string;
  secret: string;
  /** Undefined: no authorities of its own. */
  ca: string | undefined;
}

/** How the places of these texts are called in errors: options or members of a file. */
export type ManagementNames = Record<keyof ManagementTexts, string>;

/** @throws UsageError that names the text that is wrong, and never repeats it */
export function readManagement(texts: ManagementTexts, names: ManagementNames): ManageTarget & { secret: string } {
  const url = readManagementUrl(texts.url);
  const [secret, ca] = [texts.secret.trim(), texts.ca?.trim() ?? ''];
  if (url === undefined) throw new UsageError(`${names.url} must be ${MANAGEMENT_URL_FORMS}.`);
  if (!isManagementSecret(secret))
    throw new UsageError(`${names.secret} must have the secret alone, of letters, digits and marks without blanks.`);
  if (texts.ca !== undefined && !checkAuthorities(ca))
    throw new UsageError(`${names.ca} must have certificates in PEM, -----BEGIN CERTIFICATE-----.`);
  return { url, secret, ca };
}
