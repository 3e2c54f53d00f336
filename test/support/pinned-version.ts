// The versions of a library whose insides are used: they must be one exact version, or an install could bring other insides.
import { readFileSync } from 'node:fs';

const read = (path: string) => JSON.parse(readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8'));

/** Declared, locked and installed; one entry where they are the same, as `1.2.3`, `^1.2.3`. */
export const versionsOf = (name: string): string[] => {
  const lock = read('package-lock.json').packages;
  return [
    ...new Set<string>([
      read('package.json').dependencies[name],
      lock[''].dependencies[name],
      lock[`node_modules/${name}`].version,
      read(`node_modules/${name}/package.json`).version,
    ]),
  ];
};
