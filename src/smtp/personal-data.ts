// What the listeners keep of other servers: see kernel/personal-data.ts.
import type { PersonalData } from '#src/kernel/personal-data.ts';

export const personalData: PersonalData = {
  platformTables: { greylist: 'networks of servers, and digests' },
};
