import { beforeEach, describe, expect, test } from 'vitest';
import { type AuditedFile, removeOldAudit } from '#src/events/audit-retention.ts';
import type { Pace } from '#src/kernel/pace.ts';
import { createSampleTenant, openTestStorage, temporaryDirectory } from '#test/support/storage.ts';
import { recordAt, timesOf } from './audit-fixture.ts';

const CUTOFF = 1_700_000_000_000;
const OLD = [CUTOFF - 3, CUTOFF - 2, CUTOFF - 1];
const KEPT = [CUTOFF, CUTOFF + 1];

const atOnce: Pace = (work) => work();
const { signal } = new AbortController();

describe.each(['the registry', "a practice's file"])('old audit entries of %s', (place) => {
  let file: AuditedFile;
  beforeEach(async () => {
    const storage = await openTestStorage(await temporaryDirectory());
    const id = await createSampleTenant(storage);
    file =
      place === 'the registry'
        ? storage.platform
        : {
            read: (work) => storage.tenants.read(id, work),
            write: (work) => storage.tenants.write(id, work),
          };
    await file.write((db) => recordAt(db, [...OLD, ...KEPT]));
  });

  test('are removed, and nothing else is', async () => {
    await removeOldAudit(file, CUTOFF, signal, atOnce);
    expect(await file.read(timesOf)).toEqual(KEPT);
  });

  test('go in several transactions where there are many', async () => {
    let writes = 0;
    const counting: AuditedFile = {
      read: file.read,
      write: (work) => {
        writes += 1;
        return file.write(work);
      },
    };
    await removeOldAudit(counting, CUTOFF, signal, atOnce, 1);
    expect(await file.read(timesOf)).toEqual(KEPT);
    expect(writes).toBe(OLD.length + 1);
  });

  test('cost no write where none is old', async () => {
    const write = () => Promise.reject(new Error('written'));
    await removeOldAudit({ read: file.read, write }, CUTOFF - 3, signal, atOnce);
  });

  test('wait for the next night when the daemon stops', async () => {
    const stop = new AbortController();
    const stopping: Pace = async (work) => {
      stop.abort();
      return work();
    };
    await removeOldAudit(file, CUTOFF, stop.signal, stopping, 1);
    expect(await file.read(timesOf)).toEqual([...OLD.slice(1), ...KEPT]);
  });
});
