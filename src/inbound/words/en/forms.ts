import type { Words } from '../de/forms.ts';

export const words: Words = {
  form: {
    optional: 'optional',
    required: 'required',
    trap: 'Please leave this field empty',
    choose: 'Please choose',
    submit: 'Send',
    privacy: 'Privacy policy',
    fileHint: (megabytes) => `PDF, picture or office file, at most ${megabytes} MB`,
  },
  page: {
    problemTitle: 'Please check what you have entered',
    problems: {
      missing: (label) => `“${label}” is missing.`,
      email: (label) => `“${label}”: please enter a valid e-mail address, such as name@example.org.`,
      phone: (label) => `“${label}”: please enter a telephone number, such as 030 123456.`,
      date: (label) => `“${label}”: please enter a day, such as 31/12/2030.`,
      choice: (label) => `“${label}”: please choose one of the suggestions.`,
      long: (label, most) => `“${label}” is too long: at most ${most} characters.`,
      characters: (label) => `“${label}” contains characters that cannot be used here.`,
      file: (label) =>
        `“${label}”: we cannot take this file. You can send PDF, pictures and office files with an ordinary name.`,
      fileSize: (label, megabytes) => `“${label}”: the file is too large, at most ${megabytes} MB.`,
    },
    fileAgain: 'Please choose your files again, too.',
    doneTitle: 'Thank you',
    done: (practice) => `<strong>${practice}</strong> has received what you entered.`,
    askedTitle: 'Please look into your mailbox',
    asked: (practice) =>
      `<strong>${practice}</strong> is sending you an e-mail. What you entered arrives only when you open the link in it and confirm.`,
    spam: 'No e-mail? Please look into your spam folder, too.',
    back: 'Back to the website',
    closedTitle: 'The form is closed',
    closed: {
      closed: (practice) =>
        `<strong>${practice}</strong> no longer takes anything by this form. Nothing was stored.`,
      starting: (practice) =>
        `<strong>${practice}</strong> is still setting up this form. Nothing was stored. Please try again in some days, or get in touch in another way.`,
      unable: (practice) =>
        `<strong>${practice}</strong> cannot take anything by this form at the moment. Nothing was stored. Please try again later, or get in touch in another way.`,
    },
    unknownTitle: 'There is no such form',
    unknown: 'The link may be incomplete, or the form was removed.',
  },
  proof: {
    subject: (title) => `Please confirm: ${title}`,
    greeting: 'Hello,',
    text: (practice) =>
      `something was sent with this e-mail address by a form of ${practice}. So that it arrives, please confirm that it is from you:`,
    link: 'Confirm',
    until: (days) => `The link is valid for ${days} days.`,
    ignore: 'This was not you? Then there is nothing to do: nothing will arrive.',
    sender: 'Sender',
    title: { asked: 'Confirm sending', done: 'Thank you' },
    ask: (practice, title) => `Send what you entered in the form “${title}” to <strong>${practice}</strong>?`,
    button: 'Yes, send it',
    unknownTitle: 'This link is not valid',
    unknown: 'The link may be incomplete, or it has expired. You can fill in the form again.',
  },
  receiptSubject: (title) => `Received: ${title}`,
  mail: {
    intro: (form) => `Sent by the form “${form}”:`,
    yes: 'yes',
    none: '–',
    files: 'see attachment',
    proved: 'The e-mail address was confirmed.',
    unproved: 'It was not checked whether this is right and who sent it.',
  },
  presets: {
    labels: {
      name: 'Name',
      birthday: 'Date of birth',
      email: 'E-mail address',
      phone: 'Telephone',
      message: 'Your message',
      medicine: 'Medicine, strength and size of the package',
      pickup: 'How would you like to get the prescription?',
      reason: 'What is it about?',
      wish: 'When would it suit you?',
      day: 'Earliest day',
      file: 'File',
      question: 'Your question',
      consent: 'I agree that what I enter is used to deal with my request. I can withdraw this at any time.',
    },
    pickup: ['Electronically, on my card', 'I will collect it', 'To my pharmacy'],
    wish: ['In the morning', 'In the afternoon', 'Any time'],
    titles: {
      contact: 'Write to us',
      prescription: 'Order a prescription',
      appointment: 'Ask for an appointment',
      own: 'Form',
    },
    purposes: {
      contact: 'We use what you enter only to answer your message.',
      prescription:
        'We use what you enter only to prepare your prescription. Please talk to us first about medicines that are new to you.',
      appointment:
        'We use what you enter only to arrange an appointment with you. In an emergency please call.',
      own: 'We use what you enter only to deal with your request.',
    },
  },
};
