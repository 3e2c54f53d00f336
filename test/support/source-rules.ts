// Reads TypeScript sources as text for the architecture test: what a file imports, and where its code (not its comments
// or strings) says something. A small tokenizer and regular expressions, no type checker. Every rule takes a path below
// src/ and the file's text, so that the test can hand it bad examples.
import { posix } from 'node:path';

export interface Source {
  /** Below src/, with forward slashes. */
  readonly path: string;
  readonly text: string;
}

/** `file:line what to do`. */
export type Finding = string;

export interface Import {
  /** Path below src/, `#test/...`, or the name of a package or node module. */
  readonly target: string;
  readonly isLocal: boolean;
  readonly typeOnly: boolean;
  readonly line: number;
}

interface Masked {
  /** Comments blanked. */
  readonly withStrings: string;
  /** Comments, strings, templates' texts and regular expressions blanked; offsets and lines are the text's. */
  readonly code: string;
}

const blank = (text: string): string => text.replace(/[^\n]/g, ' ');
/** What may stand before a `/` that begins a regular expression. */
const BEFORE_REGEX = /(?:^|[(,=:[!&|?{};+\-*%~^<>]|\b(?:return|typeof|case|in|of|await|yield))$/;
const TOKENS: Readonly<Record<string, RegExp>> = {
  comment: /\/\/[^\n]*|\/\*[\s\S]*?\*\//y,
  string: /'(?:[^'\\\n]|\\.)*'|"(?:[^"\\\n]|\\.)*"/y,
  regex: /\/(?:[^/\\[\n]|\\.|\[(?:[^\]\\\n]|\\.)*\])+\/[a-z]*/y,
  template: /(?:[^`\\$]|\\[\s\S]|\$(?!\{))*(?:`|\$\{)/y,
};

const matchAt = (token: keyof typeof TOKENS, text: string, at: number): string | null => {
  const pattern = TOKENS[token];
  if (!pattern) return null;
  pattern.lastIndex = at;
  return pattern.exec(text)?.[0] ?? null;
};

export const mask = (text: string): Masked => {
  let withStrings = '';
  let code = '';
  /** Of each template we are inside of: how many braces are open within its `${`. */
  const templates: number[] = [];
  const take = (piece: string, inCode: boolean, inStrings: boolean): void => {
    withStrings += inStrings ? piece : blank(piece);
    code += inCode ? piece : blank(piece);
  };
  const takeTemplate = (): void => {
    const piece = matchAt('template', text, code.length) ?? text.slice(code.length);
    if (piece.endsWith('${')) templates.push(0);
    take(piece, false, true);
  };
  while (code.length < text.length) {
    const at = code.length;
    const char = text.charAt(at);
    const comment = matchAt('comment', text, at);
    if (comment !== null) {
      take(comment, false, false);
      continue;
    }
    const string = matchAt('string', text, at);
    if (string !== null) {
      take(string, false, true);
      continue;
    }
    const regex =
      char === '/' && BEFORE_REGEX.test(code.slice(-40).trimEnd()) ? matchAt('regex', text, at) : null;
    if (regex !== null) {
      take(regex, false, false);
      continue;
    }
    const open = templates.at(-1);
    take(char, true, true);
    if (char === '`') takeTemplate();
    else if (open !== undefined && char === '{') templates[templates.length - 1] = open + 1;
    else if (open !== undefined && char === '}') {
      if (open > 0) templates[templates.length - 1] = open - 1;
      else {
        templates.pop();
        takeTemplate();
      }
    }
  }
  return { withStrings, code };
};

const lineAt = (text: string, offset: number): number => text.slice(0, offset).split('\n').length;

const IMPORTS =
  /\b(?:import\s+(type\s+)?[\w$*{}\s,]+?\s+from\s*|export\s+(type\s+)?(?:\*(?:\s+as\s+[\w$]+)?|\{[^}]*\})\s*from\s*|import\s*|import\s*\(\s*)(['"])([^'"\n]+)\3/g;

const resolve = (path: string, specifier: string): string => {
  if (specifier.startsWith('#src/')) return specifier.slice('#src/'.length);
  if (specifier.startsWith('#dashboard/')) return specifier.slice(1);
  return specifier.startsWith('.') ? posix.join(posix.dirname(path), specifier) : specifier;
};

export const importsOf = ({ path, text }: Source): Import[] => {
  const { withStrings, code } = mask(text);
  return [...withStrings.matchAll(IMPORTS)].flatMap((match): Import[] => {
    // A statement quoted in a string is none.
    if (!/^(?:import|export)/.test(code.slice(match.index))) return [];
    const [statement, importType, exportType, , specifier = ''] = match;
    const names = /\{([^}]*)\}/.exec(statement)?.[1]?.split(',') ?? [];
    const written = names.map((name) => name.trim()).filter((name) => name !== '');
    const bare = /^import\s+\{/.test(statement);
    return [
      {
        target: resolve(path, specifier),
        isLocal: /^(?:#src\/|#dashboard\/|\.)/.test(specifier),
        typeOnly:
          importType !== undefined ||
          exportType !== undefined ||
          (bare && written.length > 0 && written.every((name) => name.startsWith('type '))),
        line: lineAt(text, match.index),
      },
    ];
  });
};

/** Finds `pattern` (with the flag g) in the code; `advice` says what to do. */
export const findInCode = ({ path, text }: Source, pattern: RegExp, advice: string): Finding[] => {
  const { code } = mask(text);
  return [...code.matchAll(pattern)].map(
    (match) => `${path}:${lineAt(text, match.index)} ${match[0].trim()}: ${advice}`,
  );
};

/** Finds imports that `isForbidden`; `advice` says what to do. */
export const findImports = (
  source: Source,
  isForbidden: (imported: Import) => boolean,
  advice: string,
): Finding[] =>
  importsOf(source)
    .filter(isForbidden)
    .map(({ target, line }) => `${source.path}:${line} imports ${target}: ${advice}`);

/** Like `findInCode`, but only what runs when the module is imported: in no function, method or class. */
export const findAtModuleLevel = (source: Source, pattern: RegExp, advice: string): Finding[] => {
  const { code } = mask(source.text);
  return [...code.matchAll(pattern)].flatMap((match) => {
    const before = code.slice(0, match.index);
    const depth = before.split('{').length - before.split('}').length;
    // The statement begins after the last line that ends one at the margin.
    const begin = Math.max(...[...before.matchAll(/(?:^|\n)(?=[^\s)}\]])/g)].map(({ index }) => index), 0);
    const statement = before.slice(begin);
    const isInside = /=>|\bfunction\b|\bclass\b/.test(statement);
    const isMethod = depth > 0 && /\w\s*\([^()]*\)[^=;{]*\{/.test(statement);
    return isInside || isMethod
      ? []
      : [`${source.path}:${lineAt(source.text, match.index)} ${match[0].trim()}: ${advice}`];
  });
};

/** Whether all a file does is to hand on what others export. */
export const isBarrel = ({ text }: Source): boolean => {
  const { withStrings } = mask(text);
  if (/\bexport\s+\*\s*from\b/.test(withStrings)) return true;
  const rest = withStrings.replace(IMPORTS, '').replace(/\bexport\s*\{[^}]*\}/g, '');
  return /\bexport\b/.test(withStrings) && rest.replace(/[;\s]/g, '') === '';
};
