import type { Letter, LetterValues } from './letter.ts'

/** Subjects of the mails about an invoice. Whoever gets them has not asked for them, so they contain no words of others. */
const SUBJECTS: Readonly<Record<string, (number: string, amount: string, due: string) => string>> = {
  invoice: (number, amount, due) => `Invoice ${number}: ${amount}, due on ${due}`,
  before: (number, amount, due) => `A reminder of invoice ${number}: ${amount}, due on ${due}`,
  due: (number, amount) => `Invoice ${number} is due today: ${amount}`,
  after: (number, amount, due) => `Invoice ${number} was due on ${due}: ${amount}`,
}

/** Mails to the customers of a shop about an invoice. A text of others never stands alone in a line, where it could become a link. */
export const INVOICE_LETTERS = {
  invoice: (values: LetterValues) => {
    const { kind = '', number = '', amount = '', due = '', name = '', business = '' } = values
    const { lines = '', note = '', link = '', stop = '' } = values
    const subject = SUBJECTS[kind] ?? SUBJECTS.invoice
    return {
      subject: subject?.(number, amount, due) ?? '',
      lines: [
        `Hello ${name},`,
        kind === 'invoice'
          ? `${business} has made you invoice ${number}. It is due on ${due}.`
          : `${business} reminds you of invoice ${number}, due on ${due}.`,
        ...lines.split('\n'),
        `Total: ${amount}`,
        ...(note === '' ? [] : [`${business} adds: ${note}`]),
        'You pay by mobile money on this page:',
        link,
        `Nobody reads answers to this mail: ask ${business}. To get no more mails about its invoices, open ${stop}`,
      ],
    }
  },
} as const satisfies Record<string, (values: LetterValues) => Letter>
