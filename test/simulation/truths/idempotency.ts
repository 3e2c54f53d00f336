// An answer that was given under an idempotency key is kept as long as the key is valid.
import type { Kept } from '../book.ts';
import { inFile, present, type TenantMemory } from './memory.ts';
import { row, value } from './sql.ts';
import { broken, type Truth } from './truth.ts';

/** An answer is kept for a day. */
const VALID_MS = 86_400_000;

interface Key {
  readonly tenant: TenantMemory;
  readonly messageId: string;
  readonly project_id: string;
  readonly key: string;
  readonly at: number;
}

const OF_MESSAGE = 'SELECT project_id, key FROM idempotency_keys WHERE instr(response_json, ?)';
const KEPT = 'SELECT 1 FROM idempotency_keys WHERE project_id = ? AND key = ?';

export interface Idempotency {
  /** Learns by which keys the messages of this step were accepted. */
  readonly learn: Truth;
  readonly stays: Truth;
}

export const createIdempotency = (): Idempotency => {
  const keys: Key[] = [];
  let seen = 0;
  const newOnes = ({ acceptances }: Kept) => {
    const found = acceptances.slice(seen);
    seen = acceptances.length;
    return found;
  };
  return {
    learn: {
      name: 'idempotency keys',
      check: (scene, book, memory) => {
        if (seen === book.acceptances.length) return;
        const here = new Map(present(memory).map((tenant) => [tenant.id, tenant]));
        for (const { practice, id, at } of newOnes(book)) {
          const tenant = here.get(practice.id);
          if (tenant === undefined || id === null) continue;
          const found = inFile(tenant, (db) => row<Pick<Key, 'project_id' | 'key'>>(db, OF_MESSAGE, id));
          // A key that was there when its answer was given is durable.
          if (found && at + VALID_MS > scene.now()) keys.push({ tenant, messageId: id, at, ...found });
        }
      },
    },
    stays: {
      name: 'an idempotency key keeps its answer for a day',
      check: (scene, book, memory) => {
        const here = new Set(present(memory));
        for (const { tenant, messageId, project_id, key, at } of keys) {
          const isOver = at + VALID_MS <= scene.now() || at <= tenant.restoredAt;
          const isErased = book.erasures.some(({ practice }) => practice.id === tenant.id);
          if (!here.has(tenant) || isOver || isErased) continue;
          if (inFile(tenant, (db) => value(db, KEPT, project_id, key)) === undefined)
            broken(`${tenant.name}: message ${messageId} was answered under the key ${key}, which is gone`);
        }
      },
    },
  };
};
