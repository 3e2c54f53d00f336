// Builds the dashboard that browsers load: src/dashboard/ becomes dist/dashboard/, one file for each page, named by its
// content, with Brotli and gzip beside it, and the HTML page that loads the first of them. That page is exchanged last, and files
// that it does not lead to go after it: a running daemon serves the one or the other.
import { mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { pid } from 'node:process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import { build, type Metafile, type Plugin } from 'esbuild';
import { languageTags } from '../src/dashboard/languages.ts';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const SOURCE = 'src/dashboard';
const OUT = join(ROOT, 'dist/dashboard');
const ENTRIES = {
  main: `${SOURCE}/main.tsx`,
  style: `${SOURCE}/styles/style.css`,
  icon: `${SOURCE}/icon.svg`,
};

const BROTLI = { params: { [constants.BROTLI_PARAM_QUALITY]: constants.BROTLI_MAX_QUALITY } };

/**
 * What pages share is one file, that the browser has before it opens a page: each page imports all of it, as does the editor for
 * documents, which is made of the same parts. Else there would be a file for each set of pages that share something.
 */
const sharedByAll: Plugin = {
  name: 'shared by all pages',
  setup: ({ onLoad }) => {
    onLoad(
      {
        filter:
          /\/dashboard\/(?:main|pages\/[^/]+\/page|shell\/(?:help|palette|sign-in)|parts\/(?:conflict|segment\/people|records\/list|document-editor\/editor|replies\/spoken))\.tsx$|\/dashboard\/parts\/content\/parts\.ts$/,
      },
      async ({ path }) => ({
        contents: `import '#dashboard/shared.ts';${await readFile(path, 'utf8')}`,
        loader: 'tsx',
      }),
    );
  },
};

/** Parts that few pages show: each of these has a copy, so that nobody else loads them. None keeps a state of its own. */
const COPIED =
  /\/dashboard\/parts\/(?:replies\/.*|segment\/.*|attachments|chart|followers|gates|new-practice|plan-use|score|slowed|suppressions)\.tsx?$/;

const copiedIntoPages: Plugin = {
  name: 'copied into pages',
  setup: ({ onLoad, onResolve, resolve }) => {
    onResolve({ filter: /^(?:#dashboard\/parts|\.)\/.*\.tsx?$/ }, async (asked) => {
      const { path, importer, kind, resolveDir, pluginData } = asked;
      if (pluginData === 'resolved' || kind === 'dynamic-import') return undefined;
      const page = pluginData?.page ?? /\/dashboard\/pages\/([^/]+)\//.exec(importer)?.[1];
      if (page === undefined) return undefined;
      const found = await resolve(path, { importer, kind, resolveDir, pluginData: 'resolved' });
      if (!COPIED.test(found.path)) return undefined;
      return { path: found.path, suffix: `?${page}`, pluginData: { page } };
    });
    onLoad({ filter: COPIED }, async ({ path, pluginData }) =>
      pluginData?.page === undefined || path.endsWith('/words/de.ts')
        ? undefined
        : {
            contents: await readFile(path, 'utf8'),
            loader: path.endsWith('x') ? 'tsx' : 'ts',
            pluginData,
          },
    );
  },
};

/** Each German catalogue brings those of the other languages. */
const translations: Plugin = {
  name: 'translations',
  setup: ({ onLoad }) => {
    const others = languageTags.filter((tag) => tag !== 'de');
    const imports = others.map((tag) => `import { words as ${tag} } from './${tag}.ts';`).join('');
    onLoad({ filter: /\/dashboard\/(?:.*\/)?words\/de\.ts$/ }, async ({ path, pluginData }) => ({
      contents: `${await readFile(path, 'utf8')}
import { translations } from '#dashboard/languages.ts';${imports}translations.set(words, { ${others} });`,
      loader: 'ts',
      pluginData,
    }));
  },
};

/** The files that the first one imports without waiting for a page to be opened. */
export const importedAtOnce = (metafile: Metafile, file: string, found = new Set<string>()): Set<string> => {
  if (found.has(file)) return found;
  found.add(file);
  for (const { path, kind } of metafile.outputs[file]?.imports ?? [])
    if (kind === 'import-statement') importedAtOnce(metafile, path, found);
  return found;
};

/** The files that are loaded when a page or an editor is opened. */
export const chunksOf = ({ outputs }: Metafile): string[] => [
  ...new Set(
    Object.values(outputs).flatMap(({ imports }) =>
      imports.flatMap(({ path, kind }) => (kind === 'dynamic-import' ? path : [])),
    ),
  ),
];

export interface Built {
  readonly metafile: Metafile;
  /** Bytes of gzip by the path of the output. */
  readonly sizes: ReadonlyMap<string, number>;
}

/** Its bar is painted before the scripts have been loaded. `passwords`: the service takes them, and the sign-in offers it. */
const pageFor = (metafile: Metafile, passwords: boolean): string => {
  const entryOf = (source: string): string => {
    const found = Object.entries(metafile.outputs).find(([, output]) => output.entryPoint === source);
    if (!found) throw new Error(`${source} was not built`);
    return found[0];
  };
  const asset = (file: string): string => `/assets/${basename(file)}`;
  const main = entryOf(ENTRIES.main);
  const preloads = [...importedAtOnce(metafile, main)]
    .filter((file) => file !== main)
    .map((file) => `<link rel="modulepreload" href="${asset(file)}">\n`);
  return `<!doctype html>
<html lang="de"${passwords ? ' data-passwords' : ''}>
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<meta name="color-scheme" content="light dark">
<title>Sendwerk</title>
<link rel="icon" type="image/svg+xml" href="${asset(entryOf(ENTRIES.icon))}">
<link rel="stylesheet" href="${asset(entryOf(ENTRIES.style))}">
${preloads.join('')}<script type="module" src="${asset(main)}"></script>
</head>
<body>
<div id="app"><div class="frame"><header class="bar"><span class="brand">Sendwerk</span></header></div></div>
<noscript>Diese Seiten brauchen JavaScript. These pages need JavaScript.</noscript>
</body>
</html>
`;
};

/**
 * Resolves with what was built, for its budgets. Compressing takes most of the time: whoever builds at each change leaves it out, and
 * browsers get the files as they are.
 */
export const buildDashboard = async ({ compress = true } = {}): Promise<Built> => {
  const { metafile, outputFiles } = await build({
    absWorkingDir: ROOT,
    entryPoints: Object.values(ENTRIES),
    entryNames: '[name]-[hash]',
    chunkNames: '[name]-[hash]',
    assetNames: '[name]-[hash]',
    outdir: 'dist/dashboard',
    plugins: [sharedByAll, copiedIntoPages, translations],
    loader: { '.svg': 'copy' },
    bundle: true,
    splitting: true,
    format: 'esm',
    target: 'es2024',
    jsx: 'automatic',
    jsxImportSource: 'preact',
    minify: true,
    legalComments: 'none',
    metafile: true,
    write: false,
  });
  await mkdir(OUT, { recursive: true });
  const names = new Set<string>();
  const put = async (name: string, bytes: Buffer): Promise<void> => {
    const half = join(OUT, `${name}.${pid}`);
    await writeFile(half, bytes);
    await rename(half, join(OUT, name));
    names.add(name);
  };
  const files = outputFiles.map(({ path, contents }) => [basename(path), Buffer.from(contents)] as const);
  const sizes = new Map<string, number>();
  const pages = [
    ['index.html', Buffer.from(pageFor(metafile, false))],
    ['index-passwords.html', Buffer.from(pageFor(metafile, true))],
  ] as const;
  for (const [name, bytes] of [...files, ...pages]) {
    await put(name, bytes);
    if (!compress) continue;
    const zipped = await promisify(gzip)(bytes, { level: constants.Z_BEST_COMPRESSION });
    await put(`${name}.br`, await promisify(brotliCompress)(bytes, BROTLI));
    await put(`${name}.gz`, zipped);
    sizes.set(`dist/dashboard/${name}`, zipped.length);
  }
  // Those that end in a number are another build's, under way.
  for (const name of await readdir(OUT))
    if (!names.has(name) && !/\.\d+$/.test(name)) await rm(join(OUT, name), { force: true });
  return { metafile, sizes };
};

if (import.meta.main) await buildDashboard();
