// Reads a person's e-mail address from a request: one bare address, and the key by which addresses are compared.
import { z } from 'zod';
import { AddressError, addressKey, parseAddress } from './address.ts';

export interface PersonEmail {
  /** The address as typed, with its domain in lower-case A-labels. */
  readonly email: string;
  readonly emailKey: string;
}

/** RFC 5321 §4.5.3.1.3, with room for white space. */
const MAX_TYPED = 300;

/** Null if the text is not one bare address. */
export const parseEmail = (text: string): PersonEmail | null => {
  try {
    const { address, name } = parseAddress(text.trim());
    return name === undefined ? { email: address, emailKey: addressKey(address) } : null;
  } catch (error) {
    if (error instanceof AddressError) return null;
    throw error;
  }
};

export const emailSchema = z
  .string()
  .max(MAX_TYPED)
  .transform((text, context): PersonEmail => {
    const parsed = parseEmail(text);
    if (parsed !== null) return parsed;
    context.addIssue({ code: 'custom', message: 'expected one e-mail address, such as name@example.org' });
    return z.NEVER;
  })
  .describe('one bare e-mail address');

const ASCII = /^[\x21-\x7e]+$/;

const plainEmail = (text: string): string | null => {
  const parsed = parseEmail(text);
  return parsed && ASCII.test(parsed.email) ? parsed.email : null;
};

/** An address that is in Reply-To of many mails: one that any server can write. */
export const replyAddressSchema = z
  .string()
  .max(MAX_TYPED)
  .refine(
    (text) => plainEmail(text) !== null,
    'expected one e-mail address in ASCII, such as praxis@example.org',
  )
  .overwrite((text) => plainEmail(text) ?? text)
  .nullable()
  .meta({ id: 'ReplyAddress' });
