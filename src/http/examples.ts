// A call of each route as an example: the values that its schemas declare. /openapi.yaml has them beside the schemas, the
// reference as a command for a shell.
import type { z } from 'zod';
import { EXAMPLE_ID } from '#src/kernel/fields.ts';
import type { Route } from '#src/kernel/route.ts';
import { bodyTypes, isTextType } from './api-facts.ts';
import { examplesOf } from './json-schema.ts';

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

const inShell = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;

const credential = ({ access, challenge }: Route): string[] => {
  if (access === 'public') return challenge === undefined ? [] : ['-H "Authorization: Bearer $SECRET"'];
  return [access === 'operator' ? '-H "X-Admin-Token: $ADMIN_TOKEN"' : '-H "Authorization: Bearer $TOKEN"'];
};

const bodyArguments = (route: Route): string[] => {
  const type = bodyTypes(route).find((type) => bodyExamples(route, type).length > 0);
  if (type === undefined) return [];
  const [example] = bodyExamples(route, type);
  const body = typeof example === 'string' ? example : JSON.stringify(example);
  return [`-H 'Content-Type: ${type}'`, `-d ${inShell(body)}`];
};

const requiredHeaders = ({ headers }: Route): string[] =>
  Object.entries(headers?.shape ?? {}).flatMap(([name, declared]) =>
    isRequired(declared as z.ZodType)
      ? [`-H ${inShell(`${name}: ${parameterExample(declared as z.ZodType)}`)}`]
      : [],
  );

/** The example as a command of curl. */
export const curlOf = (route: Route, origin: string): string => {
  const path = route.path.replace(/\{(\w+)\}/g, (place, name: string) => {
    const declared = route.params?.shape[name] as z.ZodType | undefined;
    const example = declared && parameterExample(declared);
    return example === undefined ? place : encodeURIComponent(String(example));
  });
  const query = Object.entries(route.query?.shape ?? {}).flatMap(([name, declared]) => {
    const example = parameterExample(declared as z.ZodType);
    return example === undefined ? [] : [`${name}=${encodeURIComponent(String(example))}`];
  });
  const target = `${origin}${path}${query.length > 0 ? `?${query.join('&')}` : ''}`;
  const method = route.method === 'get' ? '' : `-X ${route.method.toUpperCase()} `;
  return [
    `curl ${method}${inShell(target)}`,
    ...credential(route),
    ...requiredHeaders(route),
    ...bodyArguments(route),
  ].join(' \\\n  ');
};
