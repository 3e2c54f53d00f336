// Writes dist/api.ts: the types of the API, from its own description, for the dashboard. `Operations` has an entry for each
// route, named by method and path: what it takes (parameters of path and query beside `body`) and what it answers.
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { compile, type JSONSchema } from 'json-schema-to-typescript';
import { parse } from 'yaml';
import { startDaemon } from '#test/support/daemon.ts';

const FILE = fileURLToPath(new URL('../../dist/api.ts', import.meta.url));

interface Media {
  readonly schema?: JSONSchema;
}
interface Parameter {
  readonly name: string;
  readonly in: string;
  readonly required?: boolean;
  readonly schema: JSONSchema;
}
interface Operation {
  readonly parameters?: readonly (Parameter | { readonly $ref: string })[];
  readonly requestBody?: { readonly required?: boolean; readonly content: Readonly<Record<string, Media>> };
  readonly responses: Readonly<Record<string, { readonly content?: Readonly<Record<string, Media>> }>>;
}
interface Description {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: {
    readonly schemas: Readonly<Record<string, JSONSchema>>;
    readonly parameters: Readonly<Record<string, Parameter>>;
  };
}

const object = (properties: Record<string, JSONSchema>, required: readonly string[]): JSONSchema => ({
  type: 'object',
  properties,
  required: [...required],
  additionalProperties: false,
});

/** Answers that are no JSON are read as text. */
const answerOf = ({ responses }: Operation): JSONSchema => {
  const contents = Object.entries(responses).filter(([status]) => status < '300');
  const schemas = contents.map(([, { content }]) =>
    content === undefined
      ? { type: 'null' as const }
      : (content['application/json']?.schema ?? { type: 'string' as const }),
  );
  return schemas.length === 1 && schemas[0] ? schemas[0] : { anyOf: schemas };
};

const inputOf = (
  { parameters = [], requestBody }: Operation,
  shared: Readonly<Record<string, Parameter>>,
): JSONSchema => {
  const own = parameters
    .flatMap((given) => ('$ref' in given ? (shared[given.$ref.split('/').at(-1) ?? ''] ?? []) : given))
    .filter((parameter) => parameter.in === 'path' || parameter.in === 'query');
  const properties = Object.fromEntries(own.map(({ name, schema }) => [name, schema]));
  const required = own.filter((parameter) => parameter.required).map(({ name }) => name);
  const body = requestBody?.content['application/json']?.schema;
  if (body === undefined) return object(properties, required);
  return object({ ...properties, body }, requestBody?.required ? [...required, 'body'] : required);
};

const inDefinitions = (description: Description): Description =>
  JSON.parse(JSON.stringify(description).replaceAll('"#/components/schemas/', '"#/definitions/'));

const daemon = await startDaemon();
try {
  const answer = await fetch(`${daemon.origin}/openapi.yaml`);
  const { paths, components } = inDefinitions(parse(await answer.text()) as Description);
  const operations: Record<string, JSONSchema> = {};
  for (const [path, methods] of Object.entries(paths))
    for (const [method, operation] of Object.entries(methods))
      if (!path.startsWith('/api/compat/') && 'responses' in operation)
        operations[`${method.toUpperCase()} ${path}`] = object(
          { input: inputOf(operation, components.parameters), answer: answerOf(operation) },
          ['input', 'answer'],
        );
  const root = { ...object(operations, Object.keys(operations)), definitions: components.schemas };
  const types = await compile(root as JSONSchema, 'Operations', {
    additionalProperties: false,
    unreachableDefinitions: true,
    bannerComment: '// Generated from /openapi.yaml.',
    format: false,
  });
  await mkdir(dirname(FILE), { recursive: true });
  await writeFile(FILE, types);
} finally {
  await daemon.remove();
}
