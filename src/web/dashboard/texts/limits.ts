/** Settings, Limits: what may move, and when a second person is needed. */
export const LIMITS = {
  title: 'Limits',
  largest: 'Largest at once',
  charge: 'One payment',
  payout: 'One payout',
  setByUs: (at: string) => `The people who run the gateway set these for your business on ${at}.`,
  each: 'Counted for each mode, over any 60 seconds. What is more is answered 429, with the seconds to wait.',
  own: 'These numbers and amounts are set by our staff. Write to us if they are too low.',
  checker: {
    title: 'Second person',
    lead: 'Live payouts, bulk calls and schedules of more than this amount need a second person: one prepares, another owner approves. Programs with an API key are not affected. Accountants prepare every payout.',
    off: 'No second person is needed now.',
    on: (amount: string) => `More than ${amount} needs a second person.`,
    amount: 'Amount',
    amountHint:
      'Bulk calls and cycles of schedules count together. 0: every live payout needs a second person.',
    set: 'Set the amount',
    off_: 'Switch it off',
    weaker:
      'A smaller amount holds at once. A larger one, or none, holds when a second owner agrees, or after 24 hours.',
    done: 'Set. It holds now.',
    waits: 'Asked for. It holds when a second owner agrees, or in 24 hours.',
    wanted: (name: string, what: string, at: string) => `${name} asks for ${what}. It holds from ${at}.`,
    wantedNone: 'no second person at all',
    wantedAmount: (amount: string) => `a second person only above ${amount}`,
    agree: 'Agree',
    agreed: 'Agreed. It holds now.',
    drop: 'Drop this change',
    dropped: 'Dropped. The rule stays as it is.',
  },
}
