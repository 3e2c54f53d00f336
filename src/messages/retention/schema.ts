// Retention periods as the API returns and accepts them.
import { z } from 'zod';
import { fewestDays, type Kept, kept } from './rules.ts';

const what: Readonly<Record<Kept, string>> = {
  bodies:
    'text, HTML and headers of messages, and captured mails, counted from the time the message was to be sent; never removed while it is still to be sent to any recipient',
  attachments: 'attachments of messages, counted as for `bodies`',
  events: 'delivery events, counted from the time they happened',
  messages:
    'subject, addresses, tags and metadata of messages, counted as for `bodies`; then keyed hashes take their place, and outcomes and counts stay. Nothing else of a message is kept longer',
  consent_ip:
    'client addresses in the consent ledger. Unless the practice chooses: as long as the consent lasts, and so many days after its end; of a request that no one confirms 90 days at most. What the practice chooses is counted from the entry, also while the consent lasts; 0: they are not written',
  consent_user_agent: "names of people's browsers in the consent ledger, as `consent_ip`",
};

const periodSchema = z.strictObject({
  days: z
    .number()
    .describe(
      'the period in force: the shorter of the other two, and of what belongs to a message no longer than that of `messages`',
    ),
  practice_days: z
    .int()
    .nullable()
    .describe('what the practice has chosen; null: as long as the installation keeps it'),
  installation_days: z.number().describe('what the operator has set'),
});

export const retentionSchema = z
  .strictObject({
    bodies: periodSchema.describe(what.bodies),
    attachments: periodSchema.describe(what.attachments),
    events: periodSchema.describe(what.events),
    messages: periodSchema.describe(what.messages),
    consent_ip: periodSchema.describe(what.consent_ip),
    consent_user_agent: periodSchema.describe(what.consent_user_agent),
  })
  .meta({ id: 'Retention' });

/** Ten years: more than the installation may be set to, so its own limit decides. */
const MAX_DAYS = 3_650;

const daysOf = (name: Kept) =>
  z
    .int()
    .min(fewestDays[name])
    .max(MAX_DAYS)
    .nullable()
    .optional()
    .describe(
      `days, at most as many as the installation keeps; null: as long as the installation. Applies to: ${what[name]}`,
    );

export const patchRetentionBody = z
  .strictObject({
    bodies: daysOf('bodies'),
    attachments: daysOf('attachments'),
    events: daysOf('events'),
    messages: daysOf('messages'),
    consent_ip: daysOf('consent_ip'),
    consent_user_agent: daysOf('consent_user_agent'),
  })
  .refine((body) => kept.some((name) => body[name] !== undefined), 'expected at least one of them')
  .meta({ examples: [{ bodies: 30 }] });
