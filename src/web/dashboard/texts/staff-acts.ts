/** What the people who run the gateway did about the business. */
export const STAFF_ACTS = {
  title: 'What we did',
  lead: 'What the people who run the gateway did about this business.',
  nothing: 'Nothing so far.',
  frozen: (since: string, until: string | null) =>
    `Live payouts are frozen${since}${until === null ? '' : `, until ${until} at most`}. Money in goes on, and your balance is safe.`,
  inactive: (since: string) =>
    `The account is deactivated${since}. You can look at everything; new payments are refused.`,
  since: (at: string) => ` since ${at}`,
  why: (says: string) => `Why: ${says}`,
  rates: 'Your requests a minute stand under Settings, Limits.',
  limits: (charge: string, payout: string) => `We set your limits: charges ${charge}, payouts ${payout}.`,
  usual: 'as usual',
  upTo: (amount: string) => `up to ${amount}`,
  approved: 'We approved the verification.',
  rejected: 'We rejected the verification.',
  looked: 'Somebody of our support looked at your pages. Nothing can be changed that way.',
  all: 'All that we did',
}
