/** The page that leads to all settings. */
export const SETTINGS = {
  title: 'Settings',
  columns: { name: 'Setting', says: 'What it has' },
  branding: { name: 'Branding', says: "Your logo and colour on your customers' payment pages." },
  business: {
    name: 'Business',
    says: 'What we know of your business: name, handle, limits, switches.',
  },
  limits: {
    name: 'Limits',
    says: 'Your limits, and above which amount a second person approves a payout.',
  },
  notifications: {
    name: 'Notifications',
    says: 'Who hears of payments, failures and the daily close by mail, without a login.',
  },
  close: {
    name: 'Close the account',
    says: 'What happens when you leave, and how to do it.',
  },
  audit: {
    name: 'Audit',
    says: 'Who did what, from where, in rows that nobody can change.',
  },
  people: {
    name: 'People and roles',
    says: 'Who works here and may do what; invitations, tills, the refund limit of cashiers, and who is signed in.',
  },
  security: {
    name: 'Your account',
    says: 'Your password, second factor, recovery codes, e-mail address, and where you are signed in.',
  },
}
