// The blocks of docs/operate that a test runs on a machine, found by page and beginning, so that none is forgotten.
import { writeFile } from 'node:fs/promises';
import { type Block, blocksOf, documentNames, quotedCodeOf } from '#test/support/document-samples.ts';
import { furnish } from '#test/support/furnished-host.ts';
import type { Machine } from '#test/support/operated-host.ts';
import { exceptionOf } from './not-run.ts';

export const operatedPages = (runBy: string) => {
  const names = documentNames().filter((name) => name.startsWith('docs/operate/'));
  const all = names.flatMap(blocksOf);
  const ran = new Set<Block>();
  /** `page` is without folder and ending. */
  const blockOf = (page: string, beginning: string): Block => {
    const found = all.find(
      ({ file, text }) => file === `docs/operate/${page}.md` && text.startsWith(beginning),
    );
    if (found === undefined) throw new Error(`${page}.md has no block that begins with ${beginning}`);
    ran.add(found);
    return found;
  };
  return {
    blockOf,
    /** As install.md says: by the answers that it shows. The service runs then. Resolves with what setup said. */
    install: async (machine: Machine): Promise<string> => {
      const answers = machine.at('root/answers.yaml');
      await writeFile(answers, blockOf('install', '# answers.yaml').text);
      const { exitCode, printed } = await machine.command(['setup', '--from', answers]);
      if (exitCode !== 0) throw new Error(printed);
      await furnish(machine);
      await machine.start();
      return printed;
    },
    run: (machine: Machine, page: string, beginning: string, before?: string): Promise<string> =>
      machine.run([blockOf(page, beginning)], before),
    /** Commands that stand in the text. */
    quoted: () => [...new Set(names.flatMap(quotedCodeOf))].filter((code) => code.startsWith('sendwerk ')),
    yaml: () => all.filter(({ language }) => language === 'yaml'),
    /** The places of those that were not run, and should be. */
    left: (): readonly string[] =>
      all
        .filter((block) => block.language === 'sh' && exceptionOf(block)?.runBy === runBy && !ran.has(block))
        .map(({ file, line }) => `${file}:${line}`),
  };
};
