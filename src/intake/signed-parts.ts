// A part that is signed in clear by OpenPGP (RFC 3156) or S/MIME (RFC 8551). It leaves octet for octet, so nothing in it can be
// written in the one way that all readers understand alike: what they might understand in two is refused. Pure; throws AppError.
import { AppError } from '#src/kernel/errors.ts';
import { say, type Text } from '#src/kernel/say.ts';
import { decodeWords } from '#src/mail/decode-text.ts';
import type { MimePart } from '#src/mail/mime-parts.ts';
import type { SignedParts } from '#src/messages/submitted-part.ts';
import { headOfSigned, isBody } from './part-head.ts';

interface SignatureForm {
  readonly begins: RegExp;
  /** The extension of its name, where it has one. */
  readonly extension: RegExp;
}

const cms: SignatureForm = { begins: /^\x30[\x80-\x84]/, extension: /\.p7s$/i };
const signatureForms: Readonly<Record<string, SignatureForm>> = {
  'application/pgp-signature': {
    begins: /^\s*-----BEGIN PGP SIGNATURE-----\r?\n/,
    extension: /\.(?:asc|sig)$/i,
  },
  'application/pkcs7-signature': cms,
  'application/x-pkcs7-signature': cms,
};

const isSignature = ({ type, filename, content }: MimePart): boolean => {
  const form = Object.hasOwn(signatureForms, type) ? signatureForms[type] : undefined;
  if (form === undefined || (filename !== null && !form.extension.test(filename))) return false;
  return form.begins.test(content.toString('latin1', 0, 100));
};

/** Parameters that are not in the pieces of RFC 2231. */
const PLAIN_NAME = /\b(?:file)?name\s{0,9}=\s{0,9}"?([^";]*)/gi;
const extensionOf = (name: string): string => decodeWords(name).trim().split('.').at(-1)?.toLowerCase() ?? '';

/** Whether it repeats a field, or has names of two kinds: readers differ in which they take. */
const isAmbiguous = ({ fields, filename }: MimePart): boolean => {
  const given = fields.filter(([name]) => /^content-/i.test(name));
  const names = given
    .filter(([name]) => /-(?:type|disposition)$/i.test(name))
    .flatMap(([, value]) => [...value.matchAll(PLAIN_NAME)].map(([, name = '']) => name));
  const isRepeated = new Set(given.map(([name]) => name.toLowerCase())).size < given.length;
  return isRepeated || names.some((name) => extensionOf(name) !== extensionOf(filename ?? ''));
};

/** Text that the content rules do not read, or that is a file and shown as a part of the message as well. */
const isUnreadText = (part: MimePart): boolean => {
  if (isBody(part)) return part.filename !== null;
  return part.type.startsWith('text/') && part.type !== 'text/calendar' && part.disposition !== 'attachment';
};

const isClear = (part: MimePart): boolean =>
  !isAmbiguous(part) && !isUnreadText(part) && part.children.every(isClear);

/** RFC 2046 §5.1.1, and further characters that can be quoted. */
const BOUNDARY = /^[!#-[\]-~]{1,70}$/;
/** What a server on the way, or the service's own signature, would need to change (RFC 1847 §2.1). */
const CHANGED_ON_THE_WAY = /[^\t\r\n\x20-\x7e]|\r(?!\n)|(?<!\r)\n|^.{999}/m;

const refused = (why: Text, hint: Text): AppError =>
  new AppError('unsupported_media_type', say`The signed message cannot leave as it was signed: ${why}.`, {
    hint,
  });

/** The signed part, with the first of its parts, which is what is signed. */
export const takeSigned = (part: MimePart): { readonly signed: SignedParts; readonly content: MimePart } => {
  const boundary = part.parameters.find(([name]) => name === 'boundary')?.[1] ?? '';
  const [content, signature, ...others] = part.children;
  const signed = part.content.toString('latin1');
  const isWhole = BOUNDARY.test(boundary) && signed.split(`--${boundary}\r\n`).length === 3;
  if (!isWhole || !content || !signature || others.length > 0 || !isSignature(signature))
    throw refused(
      say`it is not one part and its signature`,
      say`Sign by OpenPGP/MIME or by S/MIME in clear text, or turn off the signature.`,
    );
  if (CHANGED_ON_THE_WAY.test(signed))
    throw refused(
      say`servers on the way may change it`,
      say`Sign in 7-bit lines of at most 998 characters, as OpenPGP/MIME and S/MIME ask for.`,
    );
  if (![content, signature].every(isClear))
    throw refused(
      say`mail programs would differ in how they read it`,
      say`Give each part its Content-* fields once, each file one name, and send text files as attachments.`,
    );
  return { signed: { ...headOfSigned(part, boundary), signed: `${signed}\r\n` }, content };
};
