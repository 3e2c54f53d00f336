// What the rooms refuse, by language: English is in the texts themselves. `<room>/refusals/<language>.ts` are loaded when their language
// is first asked for.
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { refusalsIn } from '#src/kernel/catalogue.ts';

const SRC = join(import.meta.dirname, '..');

export const refusals = refusalsIn(() => readdirSync(SRC).map((room) => join(SRC, room)));
