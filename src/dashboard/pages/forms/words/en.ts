import type { words as german } from './de.ts';

export const words: typeof german = {
  intro:
    'Forms by which people write to you: on your website or on a page here. What is sent arrives in the inbox.',
  list: 'Forms',
  empty: 'No form yet',
  emptyText:
    'By a form patients write to you, order prescriptions or ask for appointments, and you need not publish your address. Choose what it is for; you can change everything afterwards.',
  create: 'New form',
  createIt: 'Create the form',
  preset: 'What is it for?',
  presets: {
    contact: 'Contact: a message to you',
    prescription: 'Order a prescription',
    appointment: 'Ask for an appointment',
    own: 'Something else: choose the fields yourself',
  },
  open: 'Open',
  closed: 'Closed',
  sent: 'In 24 hours',
};
