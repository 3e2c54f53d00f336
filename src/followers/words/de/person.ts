export const words = {
  /** What a person is told of their data: what was erased, what is kept and why, and the parts that are shown. */
  person: {
    erased: {
      webhooks: 'Antworten von Webhooks',
      alerts: 'Beispiele in Meldungen',
    },
  },
};

export type Words = typeof words;
