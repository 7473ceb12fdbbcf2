import type { PayView } from '../../../src/web/checkout/view.ts'

/** An invoice as its page of payment shows it. */
export const INVOICE: NonNullable<PayView['invoice']> = {
  number: 'INV-0042',
  name: 'Akello Grace',
  dueOn: new Date('2026-12-02T21:00:00Z'),
  isLate: false,
  lines: [
    { description: 'Cement, 50 kg', quantity: 2, price: 10_000 },
    { description: 'Delivery', quantity: 1, price: 5000 },
  ],
  note: 'Call 0772 000 001 for questions.',
}
