// Deriving keys (HKDF-SHA256, RFC 5869: one per purpose, so that none can replace another) and
// sealing under them (AES-256-GCM). A sealed value is bound to a context, for example its owner's id:
// in another record it cannot be opened.
import {
  createCipheriv,
  createDecipheriv,
  createHash,
  hkdfSync,
  type KeyObject,
  randomBytes,
} from 'node:crypto';

const NONCE_BYTES = 12;
const TAG_BYTES = 16;
/** First byte of each sealed value; another form would have another. */
const FORM = 1;

/** `master` is 32 bytes; the result too, and is never written to. */
export const deriveKey = (master: Buffer, purpose: string): Buffer =>
  Buffer.from(hkdfSync('sha256', master, Buffer.alloc(0), `sendwerk ${purpose}`, 32));

/** Says which master key it is, and nothing by which it could be found. */
export const fingerprintOf = (master: Buffer): string =>
  createHash('sha256').update(deriveKey(master, 'fingerprint')).digest('hex').slice(0, 16);

export interface SealingKey {
  /** What is sealed now is sealed under this one. */
  readonly present: KeyObject;
  /** That of the former master key, until everything is sealed again. */
  readonly former: KeyObject | null;
}

export const seal = ({ present }: SealingKey, plain: Buffer, context: string): Buffer => {
  const nonce = randomBytes(NONCE_BYTES);
  const cipher = createCipheriv('aes-256-gcm', present, nonce).setAAD(Buffer.from(context));
  return Buffer.concat([Buffer.of(FORM), nonce, cipher.update(plain), cipher.final(), cipher.getAuthTag()]);
};

const open = (key: KeyObject, sealed: Buffer, context: string): Buffer => {
  if (sealed[0] !== FORM) throw new Error('sealed in a form that this version does not know');
  const nonce = sealed.subarray(1, 1 + NONCE_BYTES);
  const body = sealed.subarray(1 + NONCE_BYTES, -TAG_BYTES);
  const decipher = createDecipheriv('aes-256-gcm', key, nonce, {
    authTagLength: TAG_BYTES,
  }).setAAD(Buffer.from(context));
  decipher.setAuthTag(sealed.subarray(-TAG_BYTES));
  return Buffer.concat([decipher.update(body), decipher.final()]);
};

/** Throws where the key, the context or a byte is not what it was. */
export const unseal = ({ present, former }: SealingKey, sealed: Buffer, context: string): Buffer => {
  if (former === null) return open(present, sealed, context);
  try {
    return open(present, sealed, context);
  } catch {
    return open(former, sealed, context);
  }
};
