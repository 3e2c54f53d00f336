// How it is shown that a token is slowed, because it left its usual range or a person wanted it: feedback/brake/.
import { z } from 'zod';

export const measures = ['mails_per_hour', 'mails_per_day', 'hard_bounces', 'complaints', 'by_hand'] as const;

const reasonSchema = z
  .strictObject({
    measure: z.enum(measures),
    count: z.int().describe('so many mails, bounces or complaints there were'),
    whole: z.int().nullable().describe('the mails among which the bounces or complaints are'),
    usual: z.number().describe('mails of a busy hour or day; of bounces and complaints a share, 1 is all'),
    limit: z.number().describe('above it the token is slowed'),
    note: z.string().nullable().describe('what a person wrote'),
  })
  .describe('what left the usual range');
/** Where it is bounces or complaints, `usual` and `limit` are shares, else mails. */
export type SlowedReason = z.infer<typeof reasonSchema>;

export const slowers = ['brake', 'member', 'operator'] as const;

const slowedSchema = z
  .strictObject({
    since: z.iso.datetime(),
    until: z.iso.datetime().describe('it ends by itself then, unless more mail waits by that time'),
    by: z.enum(slowers).describe('what the operator has slowed, only they lift'),
    reason: reasonSchema,
    per_hour: z.int().describe('mails that leave in an hour'),
    waiting: z.int().describe('mails that wait for it'),
  })
  .meta({ id: 'SlowedToken' });

export const tokenBrakeFields = {
  slowed: slowedSchema.nullable().describe('null: it is not slowed'),
  lifted_until: z.iso
    .datetime()
    .nullable()
    .describe('until then nothing slows it, because a person has said that what it sends is right'),
};
export const tokenBrakeSchema = z.strictObject(tokenBrakeFields).meta({ id: 'TokenBrake' });
export type TokenBrake = z.infer<typeof tokenBrakeSchema>;

export const noBrake: TokenBrake = { slowed: null, lifted_until: null };
