import type { Words } from './de.ts';

export const words: Words = {
  invitation: {
    invited: 'Invitation',
    invitedText: (practice, email) =>
      `“${practice}” invites you to become a member with the address ${email}.`,
    accept: 'Accept the invitation',
    ignore: 'If you do not want that, there is nothing to do: the invitation expires by itself.',
    accepted: 'Invitation accepted',
    acceptedText: (practice, email) =>
      `You are now a member of “${practice}”. Sign in with the address ${email}.`,
    signIn: (serviceName) => `Continue to ${serviceName}`,
    gone: 'This invitation is no longer valid',
    goneText:
      'It has expired, has been accepted already, or a newer one has taken its place. Ask to be invited again, or ' +
      'sign in if you are a member already.',
  },
};
