// The operations of /openapi.yaml in the form that both clients are made of.

export interface Schema {
  readonly [key: string]: unknown;
}
interface Parameter {
  readonly name: string;
  readonly in: string;
  readonly required?: boolean;
  readonly description?: string;
  readonly schema: Schema;
}
type Content = Readonly<Record<string, { readonly schema?: Schema }>>;
interface Described {
  readonly operationId: string;
  readonly summary: string;
  readonly description?: string;
  readonly deprecated?: boolean;
  readonly security?: readonly Readonly<Record<string, unknown>>[];
  readonly parameters?: readonly (Parameter | { readonly $ref: string })[];
  readonly requestBody?: { readonly required?: boolean; readonly content: Content };
  readonly responses: Readonly<Record<string, { readonly content?: Content }>>;
}
export interface Document {
  readonly info: { readonly version: string };
  readonly paths: Readonly<Record<string, Readonly<Record<string, Described>>>>;
  readonly webhooks: Readonly<Record<string, { readonly post: Described }>>;
  readonly components: {
    readonly schemas: Readonly<Record<string, Schema>>;
    readonly parameters: Readonly<Record<string, Parameter>>;
  };
}

export interface Operation {
  readonly id: string;
  readonly summary: string;
  readonly description: string | null;
  readonly isDeprecated: boolean;
  readonly method: string;
  readonly path: string;
  /** Parameters of path and query, as they are declared. */
  readonly parameters: readonly Parameter[];
  readonly query: readonly string[];
  readonly body: { readonly isRequired: boolean; readonly content: Content } | null;
  /** The contents of answers below 300, by status; undefined where one has no body. */
  readonly answers: readonly (Content | undefined)[];
  readonly takesKey: boolean;
  readonly takesPractice: boolean;
  readonly isPaged: boolean;
  readonly credential: 'none' | 'token' | 'admin';
  /** The media type of a body that is text. */
  readonly textType: string | null;
}

const lastPart = (ref: string): string => ref.split('/').at(-1) ?? '';

const credentialOf = ({ security }: Described): Operation['credential'] => {
  if (security === undefined) return 'token';
  return security.some((one) => 'adminToken' in one) ? 'admin' : 'none';
};

/** The names with which each call may be given more than its parameters. */
const RESERVED: readonly string[] = ['body', 'headers', 'idempotencyKey', 'signal', 'timeout'];

/** Whether its answer has the form that lists have. */
const answersList = (document: Document, { responses }: Described): boolean => {
  const schema = responses['200']?.content?.['application/json']?.schema;
  const named =
    typeof schema?.$ref === 'string' ? document.components.schemas[lastPart(schema.$ref)] : schema;
  const parts = [named, ...((named?.allOf ?? []) as readonly Schema[])];
  return parts.some((part) => {
    const properties = (part?.properties ?? {}) as Schema;
    return 'data' in properties && 'next_cursor' in properties;
  });
};

const operationOf = (document: Document, method: string, path: string, described: Described): Operation => {
  const all = (described.parameters ?? []).flatMap((given) =>
    '$ref' in given ? (document.components.parameters[lastPart(given.$ref)] ?? []) : given,
  );
  const has = (place: string, name: string): boolean =>
    all.some((parameter) => parameter.in === place && parameter.name === name);
  const parameters = all.filter((parameter) => parameter.in === 'path' || parameter.in === 'query');
  for (const { name } of parameters)
    if (RESERVED.includes(name)) throw new Error(`${described.operationId}: a client uses the name ${name}`);
  const content = described.requestBody?.content;
  return {
    id: described.operationId,
    summary: described.summary,
    description: described.description ?? null,
    isDeprecated: described.deprecated === true,
    method: method.toUpperCase(),
    path,
    parameters,
    query: parameters.filter((parameter) => parameter.in === 'query').map(({ name }) => name),
    body: content ? { isRequired: described.requestBody?.required === true, content } : null,
    answers: Object.entries(described.responses)
      .filter(([status]) => status < '300')
      .map(([, { content }]) => content),
    takesKey: has('header', 'Idempotency-Key'),
    takesPractice: has('header', 'X-Service-Practice'),
    isPaged: has('query', 'cursor') && answersList(document, described),
    credential: credentialOf(described),
    textType:
      Object.keys(content ?? {})
        .filter((type) => type.startsWith('text/'))
        .sort()[0] ?? null,
  };
};

export const operationsOf = (document: Document): readonly Operation[] =>
  Object.entries(document.paths)
    .flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, described]) => operationOf(document, method, path, described)),
    )
    .sort((a, b) => (a.id < b.id ? -1 : 1));
