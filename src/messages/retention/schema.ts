// Retention as the API shows and takes it.
import { z } from 'zod';
import { fewestDays, type Kept, kept } from './rules.ts';

const what: Readonly<Record<Kept, string>> = {
  bodies:
    'text, HTML and headers of messages, and captured mails, from when the message was to leave; never while it is still to be sent to anyone',
  attachments: 'attachments of messages, as `bodies`',
  events: 'delivery events, from when they happened',
};

const periodSchema = z.strictObject({
  days: z.number().describe('in force: the shorter one of the other two'),
  practice_days: z.int().nullable().describe('what the practice has chosen; null: as the installation'),
  installation_days: z.number().describe('what the operator has set'),
});

export const retentionSchema = z.strictObject({
  bodies: periodSchema.describe(what.bodies),
  attachments: periodSchema.describe(what.attachments),
  events: periodSchema.describe(what.events),
});

/** More than the installation may be set to. */
const MAX_DAYS = 3_650;

const daysOf = (name: Kept) =>
  z
    .int()
    .min(fewestDays[name])
    .max(MAX_DAYS)
    .nullable()
    .optional()
    .describe(`days, at most as many as the installation keeps; null: as many. For ${what[name]}`);

export const patchRetentionBody = z
  .strictObject({ bodies: daysOf('bodies'), attachments: daysOf('attachments'), events: daysOf('events') })
  .refine((body) => kept.some((name) => body[name] !== undefined), 'expected at least one of the three');
