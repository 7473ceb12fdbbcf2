import { isolateDirection, oneLine } from '../../platform/text/text.ts'
import type { Template } from './texts.ts'

/** Whose accounts the readers of a mail may have. */
export type MailReaders = 'merchant' | 'operator'

// Null: the mail to a customer of a shop, who has no account and must ask the shop.
const OTHER_READERS: Readonly<Record<string, MailReaders | null>> = {
  alert: 'operator',
  'operator-locked': 'operator',
  'operator-invitation': 'operator',
  'operator-reset': 'operator',
  'operator-reset-done': 'operator',
  'dispute-answer': null,
  invoice: null,
} satisfies Partial<Record<Template, MailReaders | null>>

/** Tells whether a mail of this template goes to people of a merchant, who may ask us for help, to staff, or to neither. */
export const readersOf = (template: string): MailReaders | null => {
  const other = OTHER_READERS[template]
  return other === undefined ? 'merchant' : other
}

/** How a mail begins: with the name of the person, where we know it. */
export const greet = (name: string | null): string => {
  const shown = name === null ? '' : isolateDirection(oneLine(name))
  return shown === '' ? 'Hello,' : `Hello ${shown},`
}
