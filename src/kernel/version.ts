// The version of this program.
import { readFileSync } from 'node:fs';

/** Reads the version in package.json. */
export const readVersion = (): string =>
  JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')).version;
