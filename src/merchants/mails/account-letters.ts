import type { Letter, LetterValues } from './letter.ts'

/** Subjects of the mails to owners about keys and secrets, by act. */
const SECRET_ACTS = {
  'key-addresses': 'The addresses of an API key were changed',
  'key-limit': 'The daily limit of an API key was changed',
  'key-made': 'A new API key was made',
  'key-replaced': 'An API key was replaced, and all older ones of its kind were revoked',
  'key-revoked': 'An API key was revoked',
  'key-signers': 'Whose signature an API key needs was changed',
  'key-shown': 'An API key was looked at',
  'secret-changed': 'The signing secret of webhooks was changed',
  'secret-shown': 'The signing secret of webhooks was looked at',
} as const
export type SecretAct = keyof typeof SECRET_ACTS

/** Mails to the owners of a business about its keys, gift cards, withdrawal number, standing order and account. */
export const ACCOUNT_LETTERS = {
  'secret-act': ({ act = '', business = '', who = '', ends = '' }: LetterValues) => ({
    subject: `${(SECRET_ACTS as LetterValues)[act] ?? 'A key was changed'} (${business})`,
    lines: [
      `By ${who}.${ends === '' ? '' : ` The key ends with ${ends}.`}`,
      'If none of you did that, revoke the key on the page Developers, change your passwords, and look at the audit.',
    ],
  }),
  'cards-issued': ({ business = '', who = '', count = '', each = '', all = '' }: LetterValues) => ({
    subject: `${count === '1' ? 'A gift card was' : `${count} gift cards were`} issued (${business})`,
    lines: [
      `By ${who}: ${count === '1' ? 'one card' : `${count} cards`} of ${each}, ${all} in all. Whoever has a code can pay with it at your shop.`,
      'If none of you did that, switch the cards off on the page Gift cards, change your passwords, and look at the audit.',
    ],
  }),
  'account-closes': ({ business = '', says = '', link = '' }: LetterValues) => ({
    subject: `The account of ${business} is being closed`,
    lines: [
      'It takes no more payments from now on. What is under way ends, and what it holds is paid out to your verified number.',
      ...(says === '' ? [] : [says]),
      'What is left to do, and how to keep the account open, stands here:',
      link,
    ],
  }),
  'account-closed': ({ business = '', link = '' }: LetterValues) => ({
    subject: `The account of ${business} is closed`,
    lines: [
      'Its API keys and sessions have ended. You can still sign in and read everything, and download your statements:',
      link,
    ],
  }),
  'number-changed': ({ business = '', who = '', ends = '', until = '' }: LetterValues) => ({
    subject: `Another number to withdraw to (${business})`,
    lines: [
      `By ${who}: the number that ends with ${ends}. Withdrawals to it wait until ${until}, and our staff verify it first.`,
      'If none of you did that, tell us before then, set the right number on the page Withdrawals, and change your passwords.',
    ],
  }),
  'order-stands-still': ({ business = '', says = '', link = '' }: LetterValues) => ({
    subject: `Your standing order stands still (${business})`,
    lines: [
      `It has sent nothing: ${says}.`,
      'It is tried again by itself. What it waits for, and how to change or stop it, stands here:',
      link,
    ],
  }),
} as const satisfies Record<string, (values: LetterValues) => Letter>
