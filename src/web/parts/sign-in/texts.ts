/** Texts of the pages of a sign-in, on every surface. */
export const ENTRY = {
  email: { label: 'E-mail address' },
  password: { label: 'Password' },
  newPassword: {
    label: 'Password',
    hint: '12 to 128 characters of any kind. Four words of your own are easy to remember and hard to guess.',
  },
  name: { label: 'Your name', hint: 'As colleagues know you.' },
  code: {
    label: 'Code',
    hint: 'Six digits from your authenticator app, or one of your recovery codes.',
  },
  in: { title: 'Sign in', submit: 'Sign in' },
  second: {
    title: 'Your second factor',
    submit: 'Go on',
    other: 'Sign in with another account',
    of: (email: string) => `For ${email}`,
    passkey: 'Use a passkey',
    failed: 'The passkey was not given. Use a code, or try again.',
  },
  gone: {
    title: 'This link does not work any more',
    says: 'It works once, and only for a while. Ask for a new one.',
  },
}
