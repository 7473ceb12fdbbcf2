/** Subaccounts: the parties of split payments, what they have, and their payouts. */
export const SUBACCOUNTS = {
  title: 'Subaccounts',
  lead: 'Parties that get a share of split payments: a farm, a driver, a branch. Each has a balance of its own.',
  columns: {
    id: 'Subaccount',
    name: 'Name',
    status: 'Status',
    phone: 'Pays out to',
    ref: 'Your reference',
    created: 'Made',
  },
  empty: {
    title: 'No subaccounts yet',
    says: 'Make one here, and name it in the split of a charge over the API.',
  },
  create: {
    title: 'New subaccount',
    name: 'Name',
    phone: 'Phone for its payouts',
    ref: 'Your reference',
    submit: 'Make the subaccount',
    done: 'The subaccount is made.',
  },
  facts: {
    available: 'Available',
    pending: 'Pending',
    phone: 'Pays out to',
    ref: 'Your reference',
    created: 'Made',
  },
  payOut: {
    title: 'Pay out',
    amount: 'Amount',
    hint: (available: string, phone: string) => `Up to ${available} with the fee, to ${phone}.`,
    noPhone: 'It has no phone to pay out to. Make another one with a phone.',
    submit: 'Pay out',
    done: 'The payout is on its way.',
    prepared: 'The payout is prepared. It is sent when a second person approves it.',
  },
  activate: { submit: 'Activate', done: 'Splits may name it again.' },
  deactivate: { submit: 'Deactivate', done: 'New splits refuse it. Its money stays its own.' },
}
