/** The parts of an object's page besides its own facts: what happened, the money, the events. */
export const STORY = {
  title: 'What happened',
  metadata: { title: 'Metadata', hint: 'As your own system gave it.', more: (count: number) => `and ${count} more` },
  times: (count: number) => `${count} times`,
  act: (what: string, who: string) => `${what}: ${who}`,
  gateway: 'the gateway',
  opened: 'The customer reported a problem',
  closed: 'The dispute was closed',
  event: (says: string) => `Message to your server made: ${says}`,
  delivered: (says: string) => `Your server has the message: ${says}`,
  attempts: (count: number, code: number | null) =>
    `${count === 1 ? 'first attempt' : `attempt ${count}`}${code === null ? '' : `, answered ${code}`}`,
  money: {
    title: 'Where the money went',
    columns: { what: 'What', from: 'From', to: 'To', amount: 'Amount', at: 'When' },
    empty: 'No money has moved.',
    accounts: {
      available: 'your available balance',
      pending: 'your pending balance',
      in_flight: 'on its way out',
      fees: 'our fees',
      sandbox: 'test money',
      adjustments: 'corrections',
      rail: 'the operator',
      sub_available: 'a subaccount',
      sub_pending: 'a subaccount, in its hold',
    } as Readonly<Record<string, string>>,
  },
  sentEvents: {
    title: 'What we told you',
    columns: { event: 'Event', state: 'Delivery', attempts: 'Attempts', answer: 'Last answer', at: 'Made' },
    empty: 'No event was made yet. Events tell your server how it ended.',
    forgotten: 'kept for 30 days',
    resend: 'Send again',
  },
}
