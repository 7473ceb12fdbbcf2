/** Help: how to reach us, what was written to us, and our answers. */
export const HELP = {
  title: 'Help',
  write: {
    title: 'Write to us',
    about: 'About',
    message: 'What happened, and what do you need?',
    hint: 'Our support reads it beside the page from which you write, and answers here. Never write a PIN, a password or a key.',
    submit: 'Send it',
    done: 'It is sent. Our answer stands here.',
  },
  foot: { label: 'Help', write: 'Write to us' },
  reach: {
    title: 'Reach a person',
    says: (reference: string) => `Tell us the reference ${reference}: it stands in the text already where you write.`,
  },
  list: {
    title: 'What you asked us',
    columns: { says: 'What it is about', state: 'State', subject: 'Payment or object', last: 'Last written' },
    empty: {
      title: 'Nothing was asked yet',
      says: 'Every page leads here from its foot: then we see at once what you write about.',
      filtered: 'Nothing in this state',
    },
    most: 'Only the newest 100 are shown.',
  },
  states: { waiting: 'waits for our answer', answered: 'answered', closed: 'closed' },
  page: {
    title: 'What you asked us',
    facts: { about: 'About', page: 'Written on', reference: 'Reference', opened: 'First written' },
    us: 'Our support',
    again: 'Write again',
    againClosed: 'It is closed. What you write opens it again.',
    done: 'It is sent.',
  },
}
