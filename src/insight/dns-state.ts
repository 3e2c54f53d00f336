// Groups the last check of a host's records by their purpose. Pure: the DNS is not queried here.
import type { z } from 'zod';
import type { CheckedRecord, HostCheck, HostFacts, RecordPurpose } from '#src/domains/records/host-check.ts';
import type { mechanismSchema } from './reports-schema.ts';

export type Mechanism = z.infer<typeof mechanismSchema>;

/** The worst status of the records is that of the mechanism: wrong records, then missing ones, then unknown ones. */
const worstFirst = ['multiple', 'mismatch', 'proxied', 'missing', 'error', 'ok'] as const;

const presentRecord = ({ type, name, value, priority, required, status, found, hint }: CheckedRecord) => ({
  type,
  name,
  value,
  priority,
  required,
  status,
  found: [...found],
  hint,
});

/** `check` is null if the host was never checked. The records of a managed host are served by the service itself. */
export const mechanismOf = (
  kind: HostFacts['kind'],
  check: HostCheck | null,
  purposes: readonly RecordPurpose[],
): Mechanism => {
  if (kind === 'managed') return { status: 'ok', source: 'service', hint: '', records: [] };
  const records = [...(check?.records ?? []), ...(check?.inbound ?? [])].filter(({ purpose }) =>
    purposes.includes(purpose),
  );
  const worst = worstFirst.flatMap((status) => records.filter((record) => record.status === status)).at(0);
  return {
    status: worst?.status ?? 'unchecked',
    source: 'dns',
    hint: worst?.hint ?? 'These records have not been checked yet. Check them with POST check-dns.',
    records: records.map(presentRecord),
  };
};
