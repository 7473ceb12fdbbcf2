/** The pages for people who are not signed in. */
export const SIGN_IN = {
  business: { label: 'Name of the business', hint: 'As your customers know it.' },
  handle: {
    label: 'Short name for addresses',
    hint: 'Small letters, digits and dashes. Left empty, we make one from the name.',
  },
  in: {
    forgot: 'Forgotten your password?',
    noAccount: 'New here?',
    signUp: 'Open an account',
  },
  up: {
    title: 'Open an account',
    lead: 'Test mode is ready at once. Real money comes after your business is verified.',
    submit: 'Open the account',
    known: 'Have you got an account?',
    signIn: 'Sign in',
  },
  forgot: {
    title: 'Choose a new password',
    lead: 'We send you a link that works once, for 24 hours.',
    submit: 'Send the link',
    sentTitle: 'Look into your mail',
    sent: 'A mail is on its way to this address. It has the link, or says that the address has no account.',
    back: 'Back to the sign-in',
  },
  reset: {
    title: 'Choose a new password',
    lead: 'Every browser that is signed in now is signed out.',
    which: 'Which business is yours?',
    whichHint:
      'Several were opened with your address before anybody confirmed it. Choose the one that you have opened yourself: all others lose the address.',
    opened: (business: string, at: string) => `${business}, opened ${at}`,
    only: (business: string, at: string) =>
      `This is the account that opened the business ${business}, ${at}. If that was not you, close this page and open an account of your own.`,
    submit: 'Set the password and sign in',
  },
  confirm: {
    title: 'Confirm your e-mail address',
    says: (email: string, business: string) =>
      `This proves that ${email} is yours and opens live mode to the account with which the business ${business} was opened. Every other account that was opened with this address ends.`,
    claimed: (business: string) =>
      `You have an account with this address already. This adds the business ${business} to it. Do so only if you have opened it yourself: whoever opened it knows its API keys.`,
    notYou: 'If you did not open it, close this page: nothing happens.',
    opened: (business: string) => `Password that you opened ${business} with`,
    account: 'Password of your account',
    submit: 'Confirm',
    done: 'Your e-mail address is confirmed. Sign in to go on.',
  },
  change: {
    title: 'Your new e-mail address',
    says: (email: string) => `From now on you sign in with ${email}. Money out from the dashboard waits for 24 hours.`,
    submit: 'Use this address',
    done: 'Your e-mail address is changed. Sign in with the new one.',
  },
  stop: {
    title: 'Stop the change of your e-mail address',
    says: (email: string) =>
      `Somebody who is signed in to your account asked to use ${email} for it. This stops that and signs out every browser. Then you choose a new password.`,
    submit: 'Stop it and choose a new password',
  },
  join: {
    title: (business: string) => `Join ${business}`,
    says: (role: string, email: string) => `You are invited as ${role}. Your account is ${email}.`,
    known: 'You have an account with this address. Give its password to accept.',
    submit: 'Join and sign in',
  },
  till: {
    title: 'Start the shift',
    says: (name: string, business: string, until: string) =>
      `This device becomes the till ${name} of ${business} until ${until}. It sees payments and can ask for new ones; it cannot refund or pay out.`,
    submit: 'Start the shift on this device',
  },
  roles: {
    owner: 'owner',
    developer: 'developer',
    cashier: 'cashier',
    accountant: 'accountant',
    viewer: 'viewer',
  },
}
