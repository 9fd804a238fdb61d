import { createHash, generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto';

interface Key {
  id: Buffer;
  privateKey: KeyObject;
  userHandle: string;
}

/** The members of the options that an authenticator reads. */
interface Options {
  challenge: string;
  rp?: { id: string };
  rpId?: string;
  user?: { id: string };
}

const [USER_PRESENT, USER_VERIFIED, ATTESTED] = [0x01, 0x04, 0x40];
/** CBOR of `{"fmt": "none", "attStmt": {}, "authData":` and the length of a byte string of two bytes follows. */
const ATTESTATION = Buffer.from('a363666d74646e6f6e656761747453746d74a068617574684461746159', 'hex');

const sha256 = (data: string | Buffer): Buffer => createHash('sha256').update(data).digest();

/** An authenticator with a browser (WebAuthn Level 3, sections 6.1 and 6.5), for tests with requests alone. */
export class SoftwareAuthenticator {
  /** The origin that the browser reports. */
  origin: string;
  counter = 0;
  /** Whether it asks for a fingerprint or a PIN. */
  verifiesUser = true;
  readonly #keys: Key[] = [];

  constructor(origin: string) {
    this.origin = origin;
  }

  /** The field `credential` for the options of a form on a page. */
  answer(html: string): string {
    const [, ceremony, options] = /data-passkey="(\w+)"\s+data-options="([^"]+)"/.exec(html) ?? [];
    if (options === undefined) throw new Error('The page has no form for a passkey.');
    const parsed = JSON.parse(options.replaceAll('&quot;', '"')) as Options;
    return JSON.stringify(ceremony === 'create' ? this.create(parsed) : this.use(parsed));
  }

  create({ challenge, rp, user }: Options): object {
    const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
    const key = { id: randomBytes(32), privateKey, userHandle: user!.id };
    this.#keys.push(key);
    const { x, y } = publicKey.export({ format: 'jwk' });
    // COSE: kty EC2, alg ES256, crv P-256 (RFC 9053).
    const cose = ['a5010203262001215820', hex(x!), '225820', hex(y!)].join('');
    const length = Buffer.from([0, key.id.length]);
    const attested = Buffer.concat([Buffer.alloc(16), length, key.id, Buffer.from(cose, 'hex')]);
    const data = Buffer.concat([this.#authData(rp!.id, ATTESTED), attested]);
    const size = Buffer.alloc(2);
    size.writeUInt16BE(data.length);
    const attestationObject = Buffer.concat([ATTESTATION, size, data]).toString('base64url');
    const clientDataJSON = this.#clientData('webauthn.create', challenge).toString('base64url');
    return credential(key, { clientDataJSON, attestationObject, transports: ['internal'] });
  }

  use({ challenge, rpId }: Options, place = this.#keys.length - 1): object {
    const key = this.#keys[place]!;
    const clientData = this.#clientData('webauthn.get', challenge);
    const data = this.#authData(rpId!, 0);
    const signature = sign('sha256', Buffer.concat([data, sha256(clientData)]), key.privateKey).toString('base64url');
    const [clientDataJSON, authenticatorData] = [clientData.toString('base64url'), data.toString('base64url')];
    return credential(key, { clientDataJSON, authenticatorData, signature, userHandle: key.userHandle });
  }

  #authData(rpId: string, flags: number): Buffer {
    const counter = Buffer.alloc(4);
    counter.writeUInt32BE(this.counter);
    return Buffer.concat([
      sha256(rpId),
      Buffer.from([USER_PRESENT | (this.verifiesUser ? USER_VERIFIED : 0) | flags]),
      counter,
    ]);
  }

  #clientData(type: string, challenge: string): Buffer {
    return Buffer.from(JSON.stringify({ type, challenge, origin: this.origin, crossOrigin: false }));
  }
}

const hex = (base64url: string): string => Buffer.from(base64url, 'base64url').toString('hex');

function credential({ id }: Key, response: object): object {
  const encoded = id.toString('base64url');
  return { id: encoded, rawId: encoded, type: 'public-key', clientExtensionResults: {}, response };
}
