import { X509Certificate } from 'node:crypto';

const CERTIFICATE = /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g;
/** A chain of authorities has some kilobytes; a larger text is a wrong file. */
const MAX_AUTHORITIES_LENGTH = 32_768;

/** Whether a text consists of certificates in PEM. A private key among them must not be stored by mistake. */
export function checkAuthorities(pem: string): boolean {
  const found = pem.match(CERTIFICATE) ?? [];
  if (found.length === 0 || pem.length > MAX_AUTHORITIES_LENGTH || pem.includes('PRIVATE KEY')) return false;
  return found.every(isCertificate);
}

function isCertificate(pem: string): boolean {
  try {
    return new X509Certificate(pem).subject !== null;
  } catch {
    return false;
  }
}
