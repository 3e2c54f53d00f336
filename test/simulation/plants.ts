// All faults that may be planted, and the one function by which a run gets one.
import { loadFaulty, type Plant } from './plant.ts';
import { faultsOfMemory } from './plants/memory.ts';
import { faultsOfOrder } from './plants/order.ts';
import { faultsOfRules } from './plants/rules.ts';

export const plants: readonly Plant[] = [...faultsOfOrder, ...faultsOfRules, ...faultsOfMemory];

/** To be called before anything of src is imported. Throws where there is no such plant, or the source has changed under it. */
export const plantFault = (name: string): void => {
  const plant = plants.find((one) => one.name === name);
  if (plant === undefined) throw new Error(`no plant is named ${name}`);
  loadFaulty(plant);
};
