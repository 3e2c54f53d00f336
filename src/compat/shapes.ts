// The four forms of other APIs, each below a base path of its own.
import { z } from 'zod';
import type { Base } from '#src/kernel/base.ts';
import { errorTable } from '#src/kernel/error-table.ts';
import type { AppError } from '#src/kernel/errors.ts';
import type { ForeignShape } from '#src/kernel/route.ts';
import { say } from '#src/kernel/say.ts';
import { asVendorA, asVendorB, asVendorC, type Refusal } from './errors.ts';

const vendorARefusal = z
  .strictObject({ statusCode: z.int(), name: z.string(), message: z.string() })
  .meta({ id: 'VendorARefusal' });
export const vendorBRefusal = z
  .strictObject({ ErrorCode: z.int(), Message: z.string() })
  .meta({ id: 'VendorBRefusal' });

const vendorCProblem = z.strictObject({
  message: z.string(),
  field: z.string().nullable(),
  help: z.string(),
});
const vendorCRefusal = z.strictObject({ errors: z.array(vendorCProblem) }).meta({ id: 'VendorCRefusal' });

const refusalOf = (error: AppError): Refusal => error.toJSON();

/** Beginning of a path of that API, in which `{id}` is any segment, to what does the same natively. The first that fits counts. */
export type NativeCalls = readonly (readonly [path: string, call: string])[];

const isBelow = (prefix: string, path: string): boolean => {
  const segments = path.split('/');
  return prefix
    .split('/')
    .every((part, index) => part === segments[index] || (part === '{id}' && !!segments[index]));
};

const insteadIn = (calls: NativeCalls) => (path: string) => {
  const call = calls.find(([prefix]) => isBelow(prefix, path))?.[1];
  return call === undefined ? undefined : say`Use ${call}; /reference describes it.`;
};

export type ShapeName = 'vendor-a' | 'vendor-b' | 'vendor-c' | 'eu';

/** What the shapes do natively that their own paths do not. */
export type NativeInstead = Readonly<Record<ShapeName, NativeCalls>>;

export const createShapes = (
  config: Base['config'],
  instead: NativeInstead,
): Readonly<Record<ShapeName, ForeignShape>> => {
  const named = (
    name: ShapeName,
    key: 'vendor_a' | 'vendor_b' | 'vendor_c' | 'eu',
    ownTokenHeaders: readonly string[],
  ) => {
    const aliases = () => config().compat.aliases[key];
    return {
      base: `/api/compat/${name}`,
      aliases: () => aliases().paths,
      tokenHeaders: () => [
        ...ownTokenHeaders,
        ...aliases().token_headers.map((field) => field.toLowerCase()),
      ],
      insteadOf: insteadIn(instead[name]),
    };
  };
  return {
    'vendor-a': {
      ...named('vendor-a', 'vendor_a', []),
      refusals: {
        write: (error) => {
          const body = asVendorA(refusalOf(error));
          return { status: body.statusCode, body };
        },
        schema: vendorARefusal,
        statusOf: (code) => errorTable[code].foreign.a[1],
      },
    },
    'vendor-b': {
      ...named('vendor-b', 'vendor_b', ['x-vendor-b-server-token']),
      ignoresCaseInQuery: true,
      refusals: {
        write: (error) => asVendorB(refusalOf(error)),
        schema: vendorBRefusal,
        statusOf: (code) => errorTable[code].foreign.b[1],
      },
    },
    'vendor-c': {
      ...named('vendor-c', 'vendor_c', []),
      refusals: {
        write: (error) => asVendorC(refusalOf(error)),
        schema: vendorCRefusal,
        statusOf: (code) => errorTable[code].foreign.c[0],
      },
    },
    eu: { ...named('eu', 'eu', []), refusals: null },
  };
};
