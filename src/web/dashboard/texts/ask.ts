import { CHARGES } from './charges.ts'

/** Asking a customer's phone for money, and what becomes of it. */
export const ASK = {
  title: 'Ask for a payment',
  button: 'Ask for a payment',
  amount: 'Amount',
  keypad: 'Keypad',
  erase: 'Erase the last digit',
  phone: "Customer's number",
  phoneHint: { live: 'For example 0772 123456', test: CHARGES.phoneHint },
  reference: 'What it is for',
  submit: 'Ask now',
  qr: 'Show a QR code instead',
  /** What the operator says before the prompt goes out. */
  holder: {
    title: (name: string) => `${name}: is this right?`,
    from: 'from',
    says: 'The operator has this first name for the number. Nothing has been sent yet.',
    submit: 'Yes, ask now',
    change: 'No, change the number',
  },
  waiting: {
    title: 'Waiting for the PIN',
    says: (phone: string, shop: string) => `${phone} shows a message from ${shop}. The customer agrees with the PIN.`,
    check: (amount: string) =>
      `It says ${amount}. Ask once only: until the operator has answered it may still be paid.`,
    test: 'This is a test: no message comes to any phone. It ends by itself in about two seconds.',
  },
  paid: {
    title: 'Paid',
    says: (amount: string, phone: string) =>
      phone === '' ? `${amount} by gift card has arrived.` : `${amount} from ${phone} has arrived.`,
  },
  refunded: { title: 'Given back', says: 'This payment was refunded.' },
  failed: {
    title: 'Not paid',
    says: 'No money was taken.',
    again: 'Ask again',
  },
  next: 'Next customer',
  open: 'Open the payment',
  counter: 'To the counter',
  qrPage: {
    title: 'Let them scan',
    says: 'The customer scans this with the phone, enters the number and agrees with the PIN.',
    alt: 'QR code of the page on which this is paid',
    nobody: 'Nobody has begun to pay yet.',
    tried: 'The last try was not paid. The code can be scanned again.',
    off: 'This code was switched off. Make another one.',
    link: 'Open the link',
  },
}
