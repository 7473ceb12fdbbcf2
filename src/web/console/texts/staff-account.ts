/** The texts of the sign-in of staff and of the page of their own account. */
export const STAFF_ACCOUNT_TEXTS = {
  signIn: 'Sign in to the console',
  join: {
    title: 'Your account on the console',
    says: (email: string, role: string) => `You become an operator as ${email}, in the role ${role}.`,
    submit: 'Open the account and sign in',
  },
  reset: {
    title: 'Set up your sign-in again',
    says: (email: string) =>
      `For ${email}: a new password and a new authenticator. Everything that let you in before ends: sessions, factors, passkeys and recovery codes.`,
    submit: 'Set both and sign in',
  },
  needs:
    'Nobody works here with a password alone. Add this account to the authenticator app on your phone, and give the code that it shows.',
  code: { label: 'Code', hint: 'The six digits that the app shows now.' },
  enrolled: 'You are signed in.',
  security: {
    removeWarn: 'The last factor cannot be removed: add another one first.',
    removed: 'The factor is removed. Every other browser is signed out.',
    email: (email: string) =>
      `You sign in with ${email}. It cannot be changed: an admin makes another account for another address.`,
  },
}
