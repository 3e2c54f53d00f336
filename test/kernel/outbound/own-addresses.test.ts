// The addresses of this machine, which nobody may be led to though some may be public ones.
import type { NetworkInterfaceInfo } from 'node:os';
import { afterEach, expect, test, vi } from 'vitest';
import { createCheckedLookup } from '#src/kernel/outbound/checked-lookup.ts';

afterEach(() => void vi.useRealTimers());

const OWN = '198.41.0.4';
const LATER_MS = 10_000;
const lookup = { addresses: async () => ({ kind: 'none', nameExists: false }) as const };

test('stay known while the system, out of descriptors, does not tell them', () => {
  vi.useFakeTimers({ toFake: ['performance'] });
  let isTelling = true;
  const checked = createCheckedLookup(
    () => [],
    lookup,
    () => {
      if (!isTelling) throw new Error('uv_interface_addresses returned EMFILE');
      return { eth0: [{ address: OWN } as NetworkInterfaceInfo] };
    },
  );
  isTelling = false;
  vi.advanceTimersByTime(LATER_MS);
  expect([checked.kindOf(OWN), checked.kindOf('198.41.0.5')]).toEqual(['internal', 'public']);
});
