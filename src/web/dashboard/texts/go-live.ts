import type { GoLiveStep, WayToSell } from '../../../reports/go-live.ts'

/** The checklist of what is left to do before a business takes real payments. */
export const GO_LIVE = {
  title: 'Go live',
  lead: 'From the first test to real payments. The list is made of what has happened, so it keeps itself.',
  done: 'done',
  open: 'to do',
  progress: (done: number, all: number) => `${done} of ${all} done`,
  ready: 'Everything is done. Your business takes real payments.',
  noWay:
    'You take payments in no way yet. Ask for one at the counter, or make a payment link; the list grows with what you use.',
  uses: (ways: readonly string[]) => `You take payments by ${ways.join(', ')}. The list asks only for what these need.`,
  ways: {
    links: 'payment links',
    storefront: 'your storefront',
    counter: 'asking at the counter',
    machines: 'machines',
    program: 'a program of your own',
  } satisfies Record<WayToSell, string>,
  notNeeded: 'Not needed for how you work',
  whyNot: {
    machines: 'Machines: vending is off. It is for shops whose machines give out products by themselves.',
    webhook:
      'A webhook address: it tells a program of yours about payments. You see them here, by push and by mail without one.',
    live_key: 'A live key: it is for a program of yours that asks for payments. No program of yours has called us.',
  } as Partial<Record<GoLiveStep, string>>,
  steps: {
    verified: {
      name: 'Your business is verified',
      says: 'Until then no real money moves.',
      go: 'To the verification',
    },
    machines: {
      name: 'Your machines are set up',
      says: 'A machine is registered, and the supplier that commands it is saved.',
      go: 'To the settings of vending',
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
  firstPayment: {
    name: 'The first real payment has arrived',
    machines: { says: 'Buy something at your machine yourself.', go: 'To the machines' },
    storefront: { says: 'Buy something on your storefront yourself.', go: 'To the storefront' },
    links: { says: 'Pay a small amount on one of your links yourself.', go: 'To the payment links' },
    program: { says: 'Let your program ask your own phone for a small amount.', go: 'To the developers' },
    counter: { says: 'Ask your own phone for a small amount.', go: 'Ask for a payment' },
  },
}
