// The common part of the operator's commands: they ask the running daemon and print its answer as text or, with --json,
// as it came.

import type { AdminApi } from './admin-api.ts';
import { json } from './admin-text.ts';
import { type Command, configOption, defineCommand, type Options, type Values } from './command.ts';

/** The answer as JSON (undefined: none) and as text of whole lines. */
export interface Answer {
  readonly json: unknown;
  readonly text: string;
}

interface AdminDeclaration<O extends Options> {
  /** It is what follows `admin`. */
  readonly name: string;
  readonly summary: string;
  readonly options: O;
  /** Throws UsageError if options contradict each other. */
  readonly check?: (values: Values<O>) => void;
  readonly ask: (api: AdminApi, values: Values<O>) => Promise<Answer>;
}

const commonOptions = {
  json: { about: 'print the answer of the API as JSON' },
  config: configOption,
} as const satisfies Options;

export const practiceOption = {
  value: 'ID|SLUG',
  required: true,
  about: 'the practice, by its id or slug',
} as const;

export const adminCommand = <const O extends Options>({
  name,
  summary,
  options,
  check,
  ask,
}: AdminDeclaration<O>): Command =>
  defineCommand<O & typeof commonOptions>({
    name: `admin ${name}`,
    summary,
    options: { ...options, ...commonOptions },
    run: async (values, environment) => {
      const own = values as Values<O> & Values<typeof commonOptions>;
      check?.(own);
      const { createAdminApi, readAdminAccess } = await import('./admin-api.ts');
      const api = createAdminApi(readAdminAccess(own.config, environment));
      const answer = await ask(api, own);
      if (!own.json) return { exitCode: 0, output: answer.text };
      return { exitCode: 0, output: answer.json === undefined ? '' : json(answer.json) };
    },
  });
