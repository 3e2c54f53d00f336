export const words = {
  /** What a person is told of their data: what was erased, what is kept and why, and the parts that are shown. */
  person: {
    erased: {
      events: 'Ereignisse',
      audit_entries: 'Einträge des Änderungsprotokolls, auf ein Pseudonym verkürzt',
    },
    kept: {
      audit_entries: {
        what: 'Einträge des Änderungsprotokolls über Änderungen, die diese Adresse als Mitglied gemacht hat',
        why: 'Wer etwas geändert hat, muss nachvollziehbar bleiben (Art. 5 Abs. 2, Art. 32 DSGVO), bis ihre Frist endet.',
      },
    },
  },
};

export type Words = typeof words;
