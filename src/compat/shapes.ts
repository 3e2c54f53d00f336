// The three forms of other APIs, each below a base path of its own.
import { z } from 'zod';
import type { Base } from '#src/kernel/base.ts';
import type { AppError } from '#src/kernel/errors.ts';
import type { ForeignShape } from '#src/kernel/route.ts';
import { asVendorA, asVendorB, foreignErrors, type Refusal } from './errors.ts';

const vendorARefusal = z
  .strictObject({ statusCode: z.int(), name: z.string(), message: z.string() })
  .meta({ id: 'VendorARefusal' });
export const vendorBRefusal = z
  .strictObject({ ErrorCode: z.int(), Message: z.string() })
  .meta({ id: 'VendorBRefusal' });

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
  return call === undefined ? undefined : `Use ${call}; /reference describes it.`;
};

export type ShapeName = 'vendor-a' | 'vendor-b' | 'eu';

/** What the shapes do natively that their own paths do not. */
export type NativeInstead = Readonly<Record<ShapeName, NativeCalls>>;

export const createShapes = (
  config: Base['config'],
  instead: NativeInstead,
): Readonly<Record<ShapeName, ForeignShape>> => {
  const named = (
    name: ShapeName,
    key: 'vendor_a' | 'vendor_b' | 'eu',
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
        statusOf: (code) => foreignErrors[code].a[1],
      },
    },
    'vendor-b': {
      ...named('vendor-b', 'vendor_b', ['x-vendor-b-server-token']),
      ignoresCaseInQuery: true,
      refusals: {
        write: (error) => asVendorB(refusalOf(error)),
        schema: vendorBRefusal,
        statusOf: (code) => foreignErrors[code].b[1],
      },
    },
    eu: { ...named('eu', 'eu', []), refusals: null },
  };
};
