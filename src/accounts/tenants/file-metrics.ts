// What the files and their disk say of themselves in numbers.
import { faultStates, PLATFORM_FILE } from '#src/kernel/db/file-states.ts';
import type { Storage } from '#src/kernel/db/storage.ts';
import { type Metric, readMetric } from '#src/kernel/metrics.ts';

export const fileMetrics = ({ tenants, states, space, metrics }: Storage): Metric[] => [
  ...metrics,
  readMetric({
    kind: 'gauge',
    name: 'sendwerk_tenant_files_open',
    help: 'Files of practices that are open.',
    read: () => [[tenants.stats().open]],
  }),
  readMetric({
    kind: 'gauge',
    name: 'sendwerk_tenant_files_limit',
    help: 'How many files of practices may be open at a time (storage.max_open_tenants).',
    read: () => [[tenants.stats().limit]],
  }),
  readMetric({
    kind: 'gauge',
    name: 'sendwerk_tenant_files_faulty',
    help: 'Practices whose files cannot be read or written, by what is wrong.',
    labels: ['state'],
    read: () => {
      const counts = states.counts();
      return faultStates.map((state) => [counts[state], { state }] as const);
    },
  }),
  readMetric({
    kind: 'gauge',
    name: 'sendwerk_registry_faulty',
    help: '1 while the registry (platform.db) cannot be read or written, and no one can be served; else 0.',
    read: () => [[states.of(PLATFORM_FILE) === undefined ? 0 : 1]],
  }),
  readMetric({
    kind: 'gauge',
    name: 'sendwerk_disk_free_bytes',
    help: 'Free bytes of the disk that data_dir is on, as the service may use them.',
    read: () => [[space().free_bytes]],
  }),
  readMetric({
    kind: 'gauge',
    name: 'sendwerk_disk_size_bytes',
    help: 'Bytes of that disk.',
    read: () => [[space().total_bytes]],
  }),
];
