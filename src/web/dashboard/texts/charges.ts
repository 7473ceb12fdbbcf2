import { FEE_MIN } from '../../../ledger/fees.ts'
import { formatShillings } from '../../parts/wording.ts'

/** The list of charges, and one charge with its story. */
export const CHARGES = {
  title: 'Charges',
  columns: {
    id: 'Charge',
    amount: 'Amount',
    net: 'Net',
    status: 'Status',
    customer: 'Customer',
    reference: 'Reference',
    created: 'When',
  },
  filters: {
    status: 'Status',
    reference: 'Reference',
    phone: 'Phone',
    email: 'E-mail',
    from: 'From',
    until: 'Until',
  },
  empty: {
    title: 'No charges yet',
    test: 'A charge collects money from a phone. Make one with the form below, or with the API:',
    live: 'A charge collects money from a phone: over your payment links and storefront, or with the API and your live key.',
    filtered: 'No charge fits these filters.',
  },
  create: {
    title: 'New test charge',
    amount: 'Amount',
    amountHint: `More than ${formatShillings(FEE_MIN)}. The sandbox decides two seconds later.`,
    phone: 'Phone of the customer',
    phoneHint: '0700000000 pays, 0700000001 has too little money, 0700000002 declines, 0700000003 does not answer.',
    reference: 'Your reference',
    submit: 'Collect test money',
    done: 'The charge was made. It ends in about two seconds.',
  },
  refund: {
    title: 'Refund',
    says: (amount: string, fee: string) =>
      `${amount} goes back to the customer's phone. The payout costs ${fee}; the fee of the charge comes back when it has arrived.`,
    toCard: (amount: string, isPart: boolean) =>
      isPart
        ? `${amount} goes back to the gift card that had paid it.`
        : `${amount} goes back to the gift card that had paid it. Nothing is paid out, and it costs nothing.`,
    submit: 'Refund the charge',
    done: 'The charge is refunded. The payout is on its way.',
    doneToCard: 'The charge is refunded. What it had paid is back on the gift card.',
  },
  facts: {
    title: 'What it is',
    amount: 'Amount',
    giftCard: 'Paid by gift card',
    fee: 'Fee',
    net: 'Net',
    status: 'Status',
    failure: 'Why it failed',
    channel: 'Channel',
    phone: 'Phone',
    email: 'E-mail',
    reference: 'Your reference',
    link: 'Payment link',
    order: 'Vending order',
    refund: 'Refund',
    rail: 'Reference at the operator',
    sms: "Number in the customer's SMS",
    created: 'Made',
    completed: 'Ended',
    available: 'Available from',
  },
  story: 'What happened',
  underWay: 'It is under way. This page looks for news by itself.',
  curl: 'As a request',
  curlLabel: 'The request that makes such a charge',
}
