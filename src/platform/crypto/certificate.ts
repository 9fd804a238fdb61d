import { createHash, createPublicKey, type KeyObject, sign, X509Certificate } from 'node:crypto';

/**
 * A self-signed X.509 certificate around an RSA key (RFC 5280), for programs that take the key of a signature only in
 * this form. Node cannot write certificates, and the libraries that can bring twenty packages. The same key, name and
 * time give the same bytes, so that the certificate can be pinned.
 * @param name the common name, at most 64 characters
 * @returns PEM
 */
export function selfSignedCertificate(privateKey: KeyObject, name: string, notBefore: Date): string {
  const distinguishedName = sequence(set(sequence(COMMON_NAME, element(0x0c, Buffer.from(name)))));
  const certificate = sequence(
    element(0xa0, element(0x02, Buffer.from([2]))),
    element(0x02, serialNumber(name)),
    SHA256_WITH_RSA,
    distinguishedName,
    sequence(generalizedOrUtcTime(notBefore), NEVER_EXPIRES),
    distinguishedName,
    createPublicKey(privateKey).export({ type: 'spki', format: 'der' }),
    element(0xa3, sequence(FOR_SIGNATURES)),
  );
  const signature = element(0x03, Buffer.of(0), sign('sha256', certificate, privateKey));
  const lines = sequence(certificate, SHA256_WITH_RSA, signature)
    .toString('base64')
    .match(/.{1,64}/g)!;
  return `-----BEGIN CERTIFICATE-----\n${lines.join('\n')}\n-----END CERTIFICATE-----\n`;
}

/** A DER element: its tag, the length of its content, its content. */
function element(tag: number, ...content: Buffer[]): Buffer {
  const bytes = Buffer.concat(content);
  const { length } = bytes;
  if (length < 0x80) return Buffer.concat([Buffer.of(tag, length), bytes]);
  const size = length < 0x100 ? [0x81, length] : [0x82, length >> 8, length & 0xff];
  return Buffer.concat([Buffer.of(tag, ...size), bytes]);
}

const sequence = (...content: Buffer[]): Buffer => element(0x30, ...content);
const set = (...content: Buffer[]): Buffer => element(0x31, ...content);

const COMMON_NAME = Buffer.from('0603550403', 'hex');
const SHA256_WITH_RSA = sequence(Buffer.from('06092a864886f70d01010b', 'hex'), Buffer.from('0500', 'hex'));
/** The extension `keyUsage`, critical: digitalSignature. */
const FOR_SIGNATURES = sequence(
  Buffer.from('0603551d0f', 'hex'),
  Buffer.from('0101ff', 'hex'),
  Buffer.from('040403020780', 'hex'),
);
/** RFC 5280 section 4.1.2.5: the certificate has no expiration date; the key is replaced by rotation. */
const NEVER_EXPIRES = element(0x18, Buffer.from('99991231235959Z'));

/** RFC 5280 section 4.1.2.5: UTCTime until 2049, GeneralizedTime from 2050. */
function generalizedOrUtcTime(time: Date): Buffer {
  const text = `${time.toISOString().slice(0, 19).replace(/\D/g, '')}Z`;
  return time.getUTCFullYear() < 2050 ? element(0x17, Buffer.from(text.slice(2))) : element(0x18, Buffer.from(text));
}

/** A positive number of 16 bytes. */
function serialNumber(name: string): Buffer {
  const bytes = createHash('sha256').update(name).digest().subarray(0, 16);
  bytes[0] = (bytes[0]! & 0x7f) | 0x40;
  return bytes;
}

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
