// Plans by name; the same in every language.
import type { Plan } from '#api';

export const planNames: Readonly<Record<Plan['plan'], string>> = {
  test: 'Test',
  supporter: 'Supporter',
  termin: 'Termin',
  praxis: 'Praxis',
  gruppe: 'Gruppe',
};
