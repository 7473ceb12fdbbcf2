import { formatShillings } from '../../parts/wording.ts'

/** The people who pay the shop, by their number. */
export const CUSTOMERS = {
  title: 'Customers',
  lead: (payments: string) => `Everybody in the newest ${payments} payments, the last one first.`,
  columns: { who: 'Customer', name: 'Name', payments: 'Payments', paid: 'Paid', last: 'Last' },
  filter: 'Number or name',
  filterHint: 'A part of it is enough. Names are those that you wrote down.',
  paid: (paid: number, payments: number) => `${paid} paid of ${payments}`,
  noPayments: 'written down',
  empty: {
    title: 'No customers yet',
    says: 'Whoever pays you appears here by the number of the phone.',
    filtered: 'Nobody here has this number or name.',
  },
  call: 'Call',
  whatsApp: 'WhatsApp',
  ask: 'Ask for a payment',
  totals: {
    title: 'With you',
    paid: 'Paid',
    paidOf: (amount: number, count: number) =>
      `${formatShillings(amount)} in ${count} ${count === 1 ? 'payment' : 'payments'}`,
    open: 'Not paid or under way',
    tooMany: (count: string) => `More than ${count} payments: narrow the list of charges to add them up.`,
    links: 'Links used',
    cards: 'Gift cards used',
    card: (last4: string) => `Card …${last4}`,
  },
  payments: 'Payments',
  invoices: 'Invoices',
  invoice: 'New invoice',
  all: 'All payments of this number',
  note: {
    title: 'Name and note',
    name: 'Name',
    note: 'Note',
    hint: 'Only people of your business see it.',
    submit: 'Keep it',
    done: 'It is kept.',
  },
  data: {
    title: 'Data of this person',
    says: 'What you hold about a person is that person’s to ask for.',
    download: 'Download it',
    forget: 'Forget the name and the note',
    forgetSays:
      'Invoices lose who they were for, and keep number, lines and payment. Payments lose name, e-mail and metadata, and the links and orders that they paid and their refunds lose metadata. Payments keep the number: they are the books of both sides, and are needed for refunds and disputes.',
    forgotten: 'The name and the note are forgotten.',
  },
}
