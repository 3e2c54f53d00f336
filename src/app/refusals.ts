// What the rooms refuse, by language: English is in the texts themselves. `<room>/refusals/<language>.ts` are loaded when their language
// is first asked for.
import { existsSync, readdirSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import type { Sentences } from '#src/kernel/say.ts';

const SRC = join(import.meta.dirname, '..');
const load = createRequire(import.meta.url);

let german: Sentences | undefined;

export const refusals = {
  get de(): Sentences {
    german ??= Object.assign(
      {},
      ...readdirSync(SRC)
        .map((room) => join(SRC, room, 'refusals', 'de.ts'))
        .filter((file) => existsSync(file))
        .map((file) => (load(file) as { readonly de: Sentences }).de),
    ) as Sentences;
    return german;
  },
};
