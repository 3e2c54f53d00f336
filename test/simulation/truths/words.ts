// What must stand in no column: the words of people who were erased, and what belongs to another practice.
import type { Kept } from '../book.ts';
import type { Scene } from '../scene.ts';
import { columnsWith, eachTable, keysAt } from './cells.ts';
import { inFile, type Memory, present, type TenantMemory } from './memory.ts';
import { value } from './sql.ts';
import { broken, type Truth } from './truth.ts';

/** A word that must not be there, and why. */
interface Forbidden {
  readonly word: string;
  readonly why: string;
}

const ofOthers = (scene: Scene, tenant: TenantMemory): Forbidden[] =>
  scene.practices.flatMap(({ id, slug, webhookId, listId, token, webhookSecret }) => [
    { word: token, why: `is a token of ${slug}, which no column may have` },
    { word: webhookSecret, why: `is the secret of the webhook of ${slug}, which no column may have` },
    ...(id === tenant.id
      ? []
      : [
          { word: id, why: `is the id of ${slug}` },
          { word: webhookId, why: `is the id of the webhook of ${slug}` },
          { word: listId, why: `is the id of the list of ${slug}` },
        ]),
  ]);

const UNFINISHED = 'SELECT count(*) FROM erasures WHERE finished_at IS NULL';
const WAITING =
  'SELECT (SELECT count(*) FROM queue) + (SELECT count(*) FROM imports WHERE due_at IS NOT NULL)';

/** Who was written about again after the end of the erasure is known again. */
const ofErased = (book: Kept, tenant: TenantMemory): Forbidden[] =>
  book.erasures.flatMap(({ practice, words, at }) => {
    if (practice.id !== tenant.id || at < tenant.restoredAt) return [];
    if (words.some((word) => book.lastUseOf(practice, word) >= at)) return [];
    return words.flatMap((word) =>
      [...new Set([word, encodeURIComponent(word)])].map((spelled) => ({
        word: spelled,
        why: `was erased at ${new Date(at).toISOString()}`,
      })),
    );
  });

const checkTenant = (book: Kept, tenant: TenantMemory, others: readonly Forbidden[]): void => {
  const unfinished = inFile(tenant, (db) => value<number>(db, UNFINISHED)) ?? 0;
  if (unfinished > 0 && inFile(tenant, (db) => value<number>(db, WAITING)) === 0)
    broken(
      `${tenant.name}: ${unfinished} erasures have not ended, and nothing is left that they could wait for`,
    );
  const found = [...others, ...(unfinished > 0 ? [] : ofErased(book, tenant))];
  const forbidden = found.map(({ word, why }) => ({ word: word.toLowerCase(), why }));
  if (forbidden.length === 0) return;
  inFile(tenant, (db) =>
    eachTable(db, keysAt(tenant.service), (table, text) => {
      for (const { word, why } of forbidden) {
        if (!text.includes(word)) continue;
        const columns = columnsWith(db, table, word).join(', ') || 'what is sealed';
        broken(`${tenant.name}: ${table} (${columns}) has “${word}”, which ${why}`);
      }
    }),
  );
};

export const wordsAreGone: Truth = {
  name: 'no column has what was erased, or what is another practice’s',
  check: (scene, book, memory: Memory) => {
    const practices = present(memory).filter(({ practice }) => practice !== null);
    // What is another's is looked for in one of them: in which one is another matter in each simulation.
    const chosen = practices[book.acceptances.length % Math.max(1, practices.length)];
    for (const tenant of practices)
      checkTenant(book, tenant, tenant === chosen ? ofOthers(scene, tenant) : []);
  },
};
