// The gate of the header fields that a request sets. Everything that steers delivery, identity, structure or automatic
// processing is the service's own.
import { AppError } from '#src/kernel/errors.ts';
import { isHeaderName, isHeaderValueSafe } from '#src/mail/header-field.ts';
import { defineGate } from '../gate.ts';
import { isControl } from './control-headers.ts';

const allowedNames: ReadonlySet<string> = new Set([
  'in-reply-to',
  'references',
  'importance',
  'x-priority',
  'list-id',
  'organization',
]);

/** `X-` fields that mean something to this service or to answering machines. */
const reservedPrefixes: readonly string[] = ['x-service-', 'x-sendwerk-', 'x-auto-response-suppress'];

/** Many lines of 998 octets: enough for References, small enough for every receiver. */
const MAX_VALUE_BYTES = 4_096;

/** Why the field is not allowed, in words for its sender; null where it is allowed. `controls`: see `controlsOf`. */
export const headerProblem = (name: string, value: string, controls: readonly string[]): string | null => {
  const lower = name.toLowerCase();
  if (!isHeaderName(name)) return 'is not a header name';
  if (!isHeaderValueSafe(value)) return 'has a value with a line break or control character';
  if (Buffer.byteLength(value) > MAX_VALUE_BYTES) return `has a value of more than ${MAX_VALUE_BYTES} bytes`;
  if (reservedPrefixes.some((prefix) => lower.startsWith(prefix))) return 'is reserved for the service';
  if (isControl(name, controls)) return 'is one by which relays take orders';
  return lower.startsWith('x-') || allowedNames.has(lower) ? null : 'may not be set by senders';
};

export const headers = defineGate({
  name: 'headers',
  kind: 'request',
  errors: ['header_not_allowed'],
  check: ({ controls }, { headers: given }) => {
    const seen = new Set<string>();
    for (const [name, value] of given) {
      const key = name.toLowerCase();
      const problem = seen.has(key) ? 'is given twice' : headerProblem(name, value, controls);
      seen.add(key);
      if (problem === null) continue;
      const header = name.slice(0, 76);
      return {
        facts: { header },
        refusal: new AppError('header_not_allowed', `The header ${JSON.stringify(header)} ${problem}.`, {
          extra: { header },
        }),
      };
    }
    return { facts: { count: given.length } };
  },
});
