// All faults that may be planted.
import type { Plant } from './plant.ts';
import { faultsOfMemory } from './plants/memory.ts';
import { faultsOfOrder } from './plants/order.ts';
import { faultsOfRules } from './plants/rules.ts';

export const plants: readonly Plant[] = [...faultsOfOrder, ...faultsOfRules, ...faultsOfMemory];
