/** Problems that customers report. */
export const DISPUTES = {
  title: 'Disputes',
  columns: { charge: 'Charge', reason: 'Reason', state: 'State', since: 'Reported', until: 'Answer by' },
  states: { open: 'waits for your answer', answered: 'answered', closed: 'closed' },
  empty: {
    title: 'No problems were reported',
    says: 'Your customers can report a problem from their receipt. It moves no money by itself: answer within 72 hours, and refund the charge if that is right.',
  },
  about: 'What the customer says',
  facts: {
    charge: 'Charge',
    reason: 'Reason',
    details: 'In their words',
    contact: 'How to reach them',
    opened: 'Reported',
    until: 'Answer by',
    closed: 'Closed',
  },
  payment: {
    title: 'What they paid',
    amount: 'Amount',
    status: 'Status',
    customer: 'Customer',
    reference: 'Your reference',
    made: 'Paid',
    refund: 'Refund',
    giveBack: 'Give the money back',
  },
  answer: {
    title: 'What you answered',
    none: 'Nothing yet.',
    label: 'Your answer',
    submit: 'Send the answer',
    hint: {
      live: 'The customer reads it on the page of the report, and by mail where an e-mail address was left. It cannot be changed afterwards.',
      test: 'It stands on the page of the report. In test mode no mail is sent.',
    },
    done: 'The answer is sent.',
  },
  close: 'Close the dispute',
  closeSays:
    'It takes no answer any more, and it stays closed. The customer is not told; they may report the charge again.',
  unanswered: 'Nobody has answered the customer yet.',
  settled: 'It is settled with the customer',
  settledMissing: 'Say that it is settled before it is closed.',
  done: 'The dispute is closed.',
  most: 'Only the newest 200 are shown.',
}
