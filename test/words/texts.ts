// What is in the catalogues: their texts, called with probes where they are functions, and each text that is written in a file.
import { readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { parseAst } from 'vitest/node';

export const SRC = join(import.meta.dirname, '../../src');
export const load = createRequire(import.meta.url);
export const paths = readdirSync(SRC, { recursive: true, encoding: 'utf8' })
  .filter((path) => /\.tsx?$/.test(path) && !path.endsWith('.d.ts'))
  .toSorted();
export const textOf = (path: string): string => readFileSync(join(SRC, path), 'utf8');
export const isCatalogue = (path: string): boolean => /\/(?:words|refusals)\//.test(path);

/** Stands for a value of any kind: a number where it is formatted, a list, and fields that are such values again. */
const probeOf = (name: string): unknown =>
  new Proxy(() => '', {
    get: (_, key) => {
      if (key === Symbol.toPrimitive) return (hint: string) => (hint === 'number' ? 7 : `‹${name}›`);
      if (key === 'toString') return () => `‹${name}›`;
      if (key === 'toLocaleString') return () => `‹${name}›`;
      if (key === Symbol.iterator) return function* () {};
      if (key === 'length') return 3;
      if (['map', 'flatMap', 'filter'].includes(String(key))) return () => [`‹${name}›`];
      if (key === 'every') return () => false;
      if (key === 'join') return () => `‹${name}›`;
      if (['replace', 'replaceAll', 'slice', 'trim', 'charAt', 'toUpperCase'].includes(String(key)))
        return () => `‹${name}›`;
      return probeOf(`${name}.${String(key)}`);
    },
  });

/** All texts of a catalogue by their places; functions are called with probes. A function that needs real facts has tests of its own. */
export const textsIn = (value: unknown, place = ''): [string, string][] => {
  if (typeof value === 'string') return [[place, value]];
  if (typeof value === 'function') {
    try {
      const probes = Array.from({ length: value.length }, (_, index) => probeOf(String(index)));
      return textsIn(value(...probes), `${place}()`);
    } catch {
      return [];
    }
  }
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, inner]) => textsIn(inner, `${place}.${key}`));
};

/** Comments name what they speak of, and so use nothing. */
export const withoutComments = (text: string): string =>
  text.replace(/\/\*[\s\S]*?\*\/|(?<=^|[\s;,{(])\/\/[^\n]*/g, '');

export const germanFiles = paths.filter((path) => /\/words\/de(?:\.ts|\/)/.test(path));

interface Node {
  readonly type: string;
  readonly value?: unknown;
  readonly computed?: boolean;
  readonly operator?: string;
  readonly expression?: Node;
  readonly consequent?: unknown;
}

/** Each text in a source that may be shown, whatever it depends on: no name of a field, no type, nothing that is compared. */
export const writtenIn = (source: string): string[] => {
  const found: string[] = [];
  const visitAll = (values: readonly unknown[]): void => {
    for (const value of values) visit(value);
  };
  const visit = (value: unknown): void => {
    if (typeof value !== 'object' || value === null) return;
    const { type, ...node } = value as Node;
    if (type === 'ImportDeclaration' || (type === 'BinaryExpression' && node.operator === '===')) return;
    if (type === 'TSAsExpression' || type === 'TSSatisfiesExpression') visit(node.expression);
    else if (type === 'SwitchCase') visit(node.consequent);
    else if (type === 'Property' && node.computed !== true) visit(node.value);
    else if (type === 'Literal') visitText(node.value);
    else if (type === 'TemplateElement') visitText((node.value as { cooked: string }).cooked);
    else if (type?.startsWith('TS') !== true) visitAll(Object.values(value));
  };
  const visitText = (text: unknown): void => {
    if (typeof text === 'string') found.push(text);
  };
  visit(parseAst(source, { lang: 'ts' }));
  return found;
};
