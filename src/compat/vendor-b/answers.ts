// Native answers to sends in vendor B's form. Its clients and others read the inactive addresses out of the message text. Pure.
import { z } from 'zod';
import type { ItemRefusal } from '#src/intake/many.ts';
import type { SendAnswer } from '#src/intake/schema.ts';
import { toIso } from '#src/kernel/time.ts';
import { asVendorB, type Refusal } from '../errors.ts';
import { isObject } from '../known-fields.ts';
import { vendorBRefusal } from '../shapes.ts';

const addresses = z.string().optional().describe('as given');

export const sentSchema = z
  .strictObject({
    To: addresses,
    Cc: addresses,
    Bcc: addresses,
    SubmittedAt: z.iso.datetime(),
    MessageID: z.uuid(),
    ErrorCode: z.literal(0),
    Message: z.string().describe('`OK`, and the recipients who get nothing'),
  })
  .meta({ id: 'VendorBSent' });

export const sentItem = z.union([sentSchema, vendorBRefusal]);

const INACTIVE_RECIPIENT = 406;

/** `native`: the message as it was translated. */
interface Sent {
  readonly native: unknown;
  readonly answer: SendAnswer;
  readonly now: number;
}

const inactive = ({ suppressed = [] }: SendAnswer): string =>
  `inactive addresses: ${suppressed.join(', ')}. Inactive recipients are those on a suppression list of this practice; GET /api/practices/{id}/suppression says why.`;

const echoOf = (native: unknown): object =>
  isObject(native)
    ? Object.fromEntries(
        ['To', 'Cc', 'Bcc'].flatMap((name) =>
          native[name] === undefined ? [] : [[name, [native[name]].flat().join(', ')]],
        ),
      )
    : {};

/** A message of which all recipients are suppressed is kept as such, and is a refusal in this form. */
export const asSent = ({ native, answer, now }: Sent) =>
  answer.status === 'suppressed'
    ? {
        status: 422,
        body: {
          ErrorCode: INACTIVE_RECIPIENT,
          Message: `Nothing is sent. Found ${inactive(answer)} The message is kept as suppressed: ${answer.id}.`,
        },
      }
    : {
        status: 200,
        body: {
          ...echoOf(native),
          SubmittedAt: toIso(now),
          MessageID: answer.id,
          ErrorCode: 0,
          Message:
            answer.suppressed === undefined
              ? 'OK'
              : `Message OK, but will not deliver to these ${inactive(answer)}`,
        },
      };

export const asItem = (native: unknown, item: SendAnswer | ItemRefusal, now: number) =>
  'status_code' in item ? asVendorB(item as Refusal).body : asSent({ native, answer: item, now }).body;
