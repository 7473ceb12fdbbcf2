/** The texts of the page of everybody who works on the console. */
export const STAFF_PAGE_TEXTS = {
  title: 'Operators',
  list: {
    title: 'Who works on the console',
    columns: {
      name: 'Name',
      email: 'E-mail',
      role: 'Role',
      factors: 'Factors',
      seen: 'Last seen',
      since: 'Since',
      acts: 'Change',
    },
    kinds: { totp: 'app', passkey: 'passkey' },
    none: 'none',
    you: 'you',
    open: 'Change',
  },
  role: {
    label: 'Role',
    submit: 'Set the role',
    done: 'The role is changed, from the next page on.',
  },
  reset: {
    submit: 'Send a link for a new sign-in',
    done: 'A link for a new password and authenticator is on its way to the address of the account. It works once, for one hour.',
  },
  remove: {
    submit: 'Remove',
    done: 'The account is closed, its sessions have ended, and the invitations it made work no longer.',
  },
  invite: {
    title: 'Invite an operator',
    email: 'E-mail address',
    hint: 'The link is sent there alone, works once, and for 24 hours.',
    submit: 'Send the invitation',
    sent: (email: string) => `An invitation is on its way to ${email}.`,
  },
  open: {
    title: 'Open invitations',
    columns: { email: 'For', role: 'Role', until: 'Works until', acts: 'Take back' },
    takeBack: 'Take back',
    takenBack: 'The invitation is taken back.',
  },
  sessions: {
    title: 'Who is signed in',
    submit: 'Sign out',
    ended: 'This browser is signed out.',
  },
  roles: {
    title: 'What each role may do',
    act: 'Act',
    own: 'Every operator changes its own name, password and factors. What asks for more than one person says so on its page.',
  },
}
