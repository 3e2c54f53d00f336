// Personal data in mail that was captured: see kernel/personal-data.ts.
import type { PersonalData } from '#src/kernel/personal-data.ts';
import { captureStore } from './capture/store.ts';
import { wordsIn } from './words.ts';

export const personalData: PersonalData = {
  words: (language) => wordsIn(language).person,
  places: [
    {
      table: 'captures',
      keys: ['seq'],
      searched: ['recipient', 'return_path'],
      others: ['id', 'message_id', 'source'],
      erase: (_, row) => row.remove(),
      kind: 'captured_mails',
    },
  ],
  contentErased: (db, of) => captureStore(db).removeOf(of),
};
