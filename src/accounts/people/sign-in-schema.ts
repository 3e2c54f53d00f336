// Signing in and the own account, as the API takes and shows them.
import { z } from 'zod';
import { languages } from '#src/kernel/language.ts';
import { emailSchema } from '#src/mail/email.ts';
import { membershipSchema } from './member-schema.ts';
import { MAX_PASSWORD_BYTES } from './passwords.ts';
import { accountSchema } from './sessions.ts';
import { CODE_DIGITS } from './sign-in-codes.ts';

export const requestCodeBody = z.strictObject({ email: emailSchema });

export const requestedCodeSchema = z.strictObject({
  expires_in: z.int().describe('seconds for which the code is valid'),
  retry_after: z.int().describe('seconds after which another one can be had'),
});

export const verifyCodeBody = z.strictObject({
  email: emailSchema,
  code: z
    .string()
    .regex(new RegExp(`^[0-9]{${CODE_DIGITS}}$`), `expected ${CODE_DIGITS} digits`)
    .describe('as it stands in the mail'),
});

const passwordSchema = z.string().min(1).max(MAX_PASSWORD_BYTES);

export const loginBody = z.strictObject({ email: emailSchema, password: passwordSchema });

export const setPasswordBody = z.strictObject({
  password: passwordSchema.describe('12 characters to 1,024 bytes, and not the e-mail address'),
  current_password: passwordSchema.optional().describe('required where one is set'),
});

export const logoutQuery = z.strictObject({
  everywhere: z.enum(['true', 'false']).optional().describe('`true`: all sessions of the account end'),
});

export const updateAccountBody = z.strictObject({ language: z.enum(languages) });

export type Membership = z.infer<typeof membershipSchema>;

export const meSchema = z.strictObject({
  ...accountSchema.shape,
  has_password: z.boolean(),
  csrf_token: z.string(),
  session: z.strictObject({
    id: z.uuid(),
    created_at: z.iso.datetime(),
    last_used_at: z.iso.datetime(),
    expires_at: z.iso.datetime(),
  }),
  practices: z.array(membershipSchema).describe('the first 200; those they are invited to as well'),
});
