/** The search box. */
export const SEARCH = {
  title: 'Search',
  field: 'What to look for',
  submit: 'Search',
  teach:
    "Type an id, your reference, a phone number, an e-mail address, an amount, or the transaction number in your customer's SMS.",
  nothing: (text: string) => `Nothing here has ${text}.`,
  otherMode: 'Test and live are searched apart: look in the other mode too.',
  charges: 'Charges',
  payouts: 'Payouts',
  links: 'Payment links',
  columns: {
    id: 'Id',
    amount: 'Amount',
    status: 'Status',
    who: 'Phone',
    reference: 'Reference',
    created: 'When',
  },
}
