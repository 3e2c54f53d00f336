// A call of each route as an example: the values that its schemas declare, as one neutral value. /openapi.yaml has the values
// beside the schemas, the reference as samples in five languages (`reference/samples.ts`).
import type { z } from 'zod';
import { EXAMPLE_ID } from '#src/kernel/fields.ts';
import type { Route } from '#src/kernel/route.ts';
import { bodyTypes, isTextType } from './api-facts.ts';
import { examplesOf } from './json-schema.ts';
import { isTenantPath, parametersOf } from './routing.ts';

const isRequired = (schema: z.ZodType): boolean => !schema.safeParse(undefined).success;

/** The example of a parameter. What may be left out and is an id selects from the records: without it there is more to see. */
export const parameterExample = (schema: z.ZodType): unknown => {
  const [example] = examplesOf(schema);
  return isRequired(schema) || example !== EXAMPLE_ID ? example : undefined;
};

/** The examples of the body in this media type: text is an example of text, all else of JSON and forms. */
export const bodyExamples = (route: Route, type: string): readonly unknown[] => {
  const isText = isTextType(route, type);
  return route.body
    ? examplesOf(route.body).filter((example) => (typeof example === 'string') === isText)
    : [];
};

export interface SampleCall {
  readonly id: string;
  /** In upper case. */
  readonly method: string;
  /** With `{names}`. */
  readonly path: string;
  /** Values of the names in the path, but that of the practice whose token it is. */
  readonly params: Readonly<Record<string, unknown>>;
  readonly query: Readonly<Record<string, unknown>>;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: { readonly type: string; readonly value: unknown } | null;
  /** `secret`: a bearer token of another kind, which the call describes. */
  /** In the form of another service: the clients have no method for it. */
  readonly isForeign: boolean;
  readonly credential: 'none' | 'token' | 'admin' | 'secret';
}

const credentialOf = ({ access, challenge }: Route): SampleCall['credential'] => {
  if (access === 'public') return challenge === undefined ? 'none' : 'secret';
  return access === 'operator' ? 'admin' : 'token';
};

const bodyOf = (route: Route): SampleCall['body'] => {
  // Generated clients send none with a GET (RFC 9110 §9.3.1).
  if (route.method === 'get') return null;
  for (const type of bodyTypes(route)) {
    const [value] = bodyExamples(route, type);
    if (value !== undefined) return { type, value };
  }
  return null;
};

const examplesIn = (
  shape: Readonly<Record<string, unknown>> | undefined,
  isShown: (schema: z.ZodType, name: string) => boolean = () => true,
): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries((shape ?? {}) as Record<string, z.ZodType>).flatMap(([name, schema]) => {
      const example = isShown(schema, name) ? parameterExample(schema) : undefined;
      return example === undefined ? [] : [[name, example]];
    }),
  );

export const sampleCallOf = (route: Route): SampleCall => {
  const isOwnPractice = (name: string): boolean => name === 'id' && isTenantPath(route.path);
  const declared = examplesIn(route.params?.shape, (_, name) => !isOwnPractice(name));
  const params = Object.fromEntries(
    parametersOf(route.path)
      .filter((name) => !isOwnPractice(name))
      .map((name) => [name, declared[name] ?? EXAMPLE_ID]),
  );
  const headers = examplesIn(route.headers?.shape, isRequired);
  return {
    id: route.id,
    method: route.method.toUpperCase(),
    path: route.path,
    params,
    query: examplesIn(route.query?.shape),
    headers: Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value)])),
    body: bodyOf(route),
    isForeign: route.shape !== undefined,
    credential: credentialOf(route),
  };
};
