// Another process at a database file, as an operator's shell, a backup or a monitoring query: SQLite's own shell where it is
// installed, else a process that does the same with the library.
import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { execPath } from 'node:process';
import { endProcess, spawnMortal, until } from './process.ts';

export interface ForeignSql {
  /** Runs the statements; resolves with what they print. Throws with what the shell says of an error. */
  run(sql: string): Promise<string>;
  /** Ends it, and with it its transaction. */
  end(): Promise<void>;
}

const DONE = 'that was it';
const LIBRARY = `
  import { createInterface } from 'node:readline';
  import Database from 'better-sqlite3';
  const db = new Database(process.argv[1]);
  for await (const line of createInterface({ input: process.stdin })) {
    try {
      if (line.startsWith('.print ')) console.log(line.slice(7));
      else if (/^(SELECT|PRAGMA)/.test(line)) console.log(db.prepare(line).raw().all().join('\\n'));
      else db.exec(line);
    } catch (error) {
      console.error(error.message);
    }
  }`;

const hasShell = (): boolean => spawnSync('sqlite3', ['-version']).status === 0;

/** `file` may be `:memory:`, for what it attaches. One statement a line. */
export const openForeignSql = async (file: string): Promise<ForeignSql> => {
  const [command, args] = hasShell()
    ? ['sqlite3', [file]]
    : [execPath, ['--input-type=module', '-e', LIBRARY, file]];
  const child = spawnMortal(command, args, { stdio: ['pipe', 'pipe', 'pipe'] });
  let out = '';
  let refused = '';
  child.stdout?.setEncoding('utf8').on('data', (text: string) => {
    out += text;
  });
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    refused += text;
  });
  await once(child, 'spawn');
  return {
    run: async (sql) => {
      out = '';
      child.stdin?.write(`${sql}\n.print ${DONE}\n`);
      await until('the shell has done it', () => {
        if (child.exitCode !== null) throw new Error(`the shell ended: ${refused}`);
        return out.includes(DONE);
      });
      if (refused !== '') throw new Error(refused);
      return out.slice(0, out.indexOf(DONE)).trim();
    },
    end: async () => {
      await endProcess(child, 'SIGKILL');
    },
  };
};
