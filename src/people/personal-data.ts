// Personal data of those who sign in, which no erasure of a practice reaches: see kernel/personal-data.ts.
import { HASHES, type PersonalData } from '#src/kernel/personal-data.ts';

export const personalData: PersonalData = {
  platformTables: {
    sessions: 'those who sign in: of several practices',
    sign_in_codes: HASHES,
  },
};
