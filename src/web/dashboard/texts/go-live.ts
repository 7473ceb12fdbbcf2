/** The checklist of what is left to do before a business takes real payments. */
export const GO_LIVE = {
  title: 'Go live',
  lead: 'From the first test to real payments. The list is made of what has happened, so it keeps itself.',
  done: 'done',
  open: 'to do',
  progress: (done: number, all: number) => `${done} of ${all} done`,
  ready: 'Everything is done. Your business takes real payments.',
  columns: { step: 'Step', state: 'State', since: 'Since' },
  steps: {
    verified: {
      name: 'Your business is verified',
      says: 'Until then no real money moves.',
      go: 'To the verification',
    },
    webhook: {
      name: 'Your webhook address has answered',
      says: 'It is set, and has answered one of our newest deliveries with 2xx.',
      go: 'To the webhooks',
    },
    live_key: {
      name: 'A live key was used',
      says: 'Your shop calls us with a key that begins with sk_live_.',
      go: 'To the keys',
    },
    live_charge: {
      name: 'The first real payment has arrived',
      says: 'Pay a small amount yourself: a link is the quickest way.',
      go: 'To the payment links',
    },
    settlement: {
      name: 'The first money is available',
      says: 'Real payments can be paid out a day after they arrived.',
      go: 'To the wallet',
    },
    second_owner: {
      name: 'There is a second owner',
      says: 'So that nobody is locked out when one phone is lost.',
      go: 'To the people',
    },
    factors: {
      name: 'Every owner has a second factor',
      says: 'A code of an app or a passkey, beside the password.',
      go: 'To your account',
    },
  },
}
