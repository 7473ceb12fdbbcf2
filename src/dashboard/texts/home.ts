/** The first page. */
export const HOME = {
  title: 'Home',
  balances: { available: 'Available', pending: 'Pending' },
  latest: 'Latest charges',
  columns: { id: 'Charge', amount: 'Amount', status: 'Status', created: 'When' },
  none: 'No charges yet',
  funds: {
    title: 'Test money',
    amount: 'Amount',
    hint: 'Up to UGX 100,000,000 at a time. It is not real money and cannot be withdrawn.',
    add: 'Add test money',
    added: (amount: string) => `${amount} of test money was added.`,
  },
}
