import { isolateDirection, oneLine } from '../../platform/text/text.ts'
import { ACCOUNT_LETTERS } from './account-letters.ts'
import { INVOICE_LETTERS } from './invoice-letters.ts'
import type { Letter, LetterValues } from './letter.ts'

const NOT_YOU = 'If that was not you, change your password and look at the sessions on the page Security.'

/** Every mail that the product sends, by the name of its template. */
const LETTERS = {
  ...ACCOUNT_LETTERS,
  ...INVOICE_LETTERS,
  'confirm-email': ({ business = '', link = '' }: LetterValues) => ({
    subject: 'Confirm your e-mail address',
    lines: [
      `Somebody opened the business ${business} with this address.`,
      'If that was you, open this link within 24 hours and give the password that you chose. Until then your account works in test mode.',
      link,
      'If it was not you, do nothing: the account stays without your address. Whoever opened it cannot use it to take real money.',
    ],
  }),
  'account-exists': ({ business = '', link = '' }: LetterValues) => ({
    subject: 'You have an account already',
    lines: [
      `Somebody opened the business ${business} with this address, which has an account already. Nothing has changed in your account.`,
      'If that was you, this link adds the business to your account, where you sign in as before. It asks for both passwords:',
      link,
      'If it was not you, do nothing.',
    ],
  }),
  'reset-password': ({ link = '' }: LetterValues) => ({
    subject: 'Choose a new password',
    lines: ['Open this link within 24 hours to choose a new password:', link, 'If you did not ask for it, do nothing.'],
  }),
  'no-account': () => ({
    subject: 'There is no account with this address',
    lines: ['Somebody asked for a new password with this address. It has no account here.'],
  }),
  'account-locked': ({ link = '', address = '' }: LetterValues) => ({
    subject: 'Your account is locked for 30 minutes',
    lines: [
      `The password was wrong five times, the last time from ${address}. Nobody can sign in for half an hour.`,
      'If that was you, choose a new password and sign in at once:',
      link,
    ],
  }),
  'operator-locked': ({ address = '' }: LetterValues) => ({
    subject: 'Your account on the console is locked for 30 minutes',
    lines: [
      `The password or the code was wrong five times, the last time from ${address}. Nobody can sign in for half an hour.`,
      'If that was you, wait, or ask an admin of the console for a link. If it was not you, tell the others at once.',
    ],
  }),
  'operator-invitation': ({ role = '', by = '', link = '' }: LetterValues) => ({
    subject: 'You are invited to the console',
    lines: [
      `${by} gives you an account on the operators' console, in the role ${role}. Have an authenticator app at hand and open this link within 24 hours:`,
      link,
      'Whoever opens it first has the account: give it to nobody.',
    ],
  }),
  'operator-reset': ({ by = '', link = '' }: LetterValues) => ({
    subject: 'Set up your sign-in to the console again',
    lines: [
      `${by} lets you choose a new password and a new authenticator for the console. Open this link within an hour:`,
      link,
      'If you did not ask for it, do nothing and tell the others at once.',
    ],
  }),
  'operator-reset-done': () => ({
    subject: 'Your sign-in to the console was set up again',
    lines: [
      'Your account has a new password, a new authenticator and new recovery codes. All sessions, factors and codes of before have ended.',
      'If that was not you, tell the other operators at once.',
    ],
  }),
  // The subject of a mail to somebody who has not agreed to it contains no words of others.
  invitation: ({ business = '', role = '', link = '' }: LetterValues) => ({
    subject: 'You are invited to the dashboard of a business',
    lines: [
      `${business} gives you a part in its dashboard, in the role ${role}. Open this link within 24 hours:`,
      link,
    ],
  }),
  'password-changed': () => ({
    subject: 'Your password was changed',
    lines: [
      'Your password was changed. All other sessions have ended, and so have the invitations that you had made and nobody had accepted.',
      NOT_YOU,
    ],
  }),
  'email-in-use': () => ({
    subject: 'This address has an account already',
    lines: ['Somebody asked to use this address for another account. It belongs to yours, so nothing was changed.'],
  }),
  'email-change': ({ link = '' }: LetterValues) => ({
    subject: 'Confirm your new e-mail address',
    lines: ['Open this link within 24 hours to use this address from now on:', link],
  }),
  'email-change-asked': ({ email = '', link = '' }: LetterValues) => ({
    subject: 'Another e-mail address for your account',
    lines: [
      `Somebody who is signed in asked to use ${email} for your account. It takes effect when that address is confirmed.`,
      'If that was you, do nothing. If it was not you, open this link at once: it stops the change, signs out every browser and lets you choose a new password.',
      ...(link === '' ? [NOT_YOU] : [link]),
    ],
  }),
  'email-changed': ({ email = '' }: LetterValues) => ({
    subject: 'Your e-mail address was changed',
    lines: [`Your account uses ${email} now. Money out from the dashboard waits for 24 hours.`, NOT_YOU],
  }),
  'factor-added': () => ({
    subject: 'A second factor was added',
    lines: ['A second factor was added to your account.', NOT_YOU],
  }),
  'factor-removed': ({ held = 'yes' }: LetterValues) => ({
    subject: 'A second factor was removed',
    lines: [
      `A second factor was removed from your account.${held === 'yes' ? ' Money out from the dashboard waits for 24 hours.' : ''}`,
      NOT_YOU,
    ],
  }),
  'codes-renewed': () => ({
    subject: 'New recovery codes',
    lines: ['New recovery codes were made for your account. The old ones work no longer.', NOT_YOU],
  }),
  verified: ({ business = '', link = '' }: LetterValues) => ({
    subject: `${business} is verified`,
    lines: ['Your business is verified and can take real money now. What is left before going live:', link],
  }),
  'verification-rejected': ({ business = '', note = '', link = '' }: LetterValues) => ({
    subject: `The verification of ${business} needs another look`,
    lines: [
      'We could not accept it yet.',
      ...(note === '' ? [] : note.split('\n')),
      'What has to change stands beside each field. Change it and submit it again:',
      link,
    ],
  }),
  'dispute-answer': ({ business = '', says = '' }: LetterValues) => ({
    subject: 'Your report of a problem was answered',
    lines: [
      `You reported a problem with a payment to ${business}. It answers:`,
      ...says.split('\n'),
      'Nobody reads answers to this mail. To say more, report the problem once more from your receipt.',
    ],
  }),
  'case-answer': ({ business = '', says = '', link = '' }: LetterValues) => ({
    subject: `An answer to what you asked us (${business})`,
    lines: [...says.split('\n'), 'To read it beside what you wrote, and to write again:', link],
  }),
  'document-ends': ({ business = '', document = '', day = '', link = '' }: LetterValues) => ({
    subject: `A document of ${business} ends on ${day}`,
    lines: [
      `A document that you gave us for the verification (${document}) counts until ${day}. Write to us with a new one before that day, so that nothing has to wait.`,
      link,
    ],
  }),
  'notice-confirm': ({ business = '', link = '', days = '7' }: LetterValues) => ({
    subject: 'Do you want to hear of the payments of a business?',
    lines: [
      `${business} has named this address to hear of its payments by mail. Open this link within ${days} days to agree or to say no, or do nothing:`,
      link,
    ],
  }),
  'notice-news': ({ business = '', news = '', link = '' }: LetterValues) => ({
    subject: `Payments of ${business}`,
    lines: [...news.split('\n'), 'To hear no more of them:', link],
  }),
  'daily-close': ({ business = '', day = '', news = '', link = '' }: LetterValues) => ({
    subject: `${business}: the close of ${day}`,
    lines: [...news.split('\n'), 'To hear no more of them:', link],
  }),
  'month-close': ({ business = '', month = '', news = '', link = '', off = '' }: LetterValues) => ({
    subject: `${business}: the close of ${month}`,
    lines: [
      ...news.split('\n'),
      'The statement as a document, and any other days as a list, are here after you sign in:',
      link,
      'You get this because you asked for each month by mail. To switch it off:',
      off,
    ],
  }),
  alert: ({ subject = '', text = '' }: LetterValues) => ({ subject, lines: text.split('\n') }),
  'approval-waits': ({ business = '', who = '', amount = '', recipients = '', link = '' }: LetterValues) => ({
    subject: `${business}: money waits for your approval`,
    lines: [
      `${who} has prepared ${amount} for ${recipients === '1' ? 'one recipient' : `${recipients} recipients`}. Nothing is sent before another owner has looked at it and approved it, within seven days:`,
      link,
    ],
  }),
  'receiver-outage': ({ business = '', waiting = '', since = '', code = '', error = '', link = '' }: LetterValues) => ({
    subject: `Webhooks of ${business} do not arrive`,
    lines: [
      `Since ${since} the webhook address of ${business} has taken nothing: ${code === '' ? `the last attempt ended with "${error}"` : `the last answer was ${code}`}. Events that wait for it: ${waiting}. Each is tried eight times over some two days.`,
      'Look at what your server answers, and send again from there what it has missed:',
      link,
      'You hear of this once. It is over with the first event that your server takes.',
    ],
  }),
  'receiver-failing': ({ business = '', waiting = '', link = '' }: LetterValues) => ({
    subject: `Webhooks of ${business} have not arrived for a day`,
    lines: [
      `The webhook address of ${business} has taken nothing for 24 hours, and ${waiting} events wait for it. Each is tried eight times over some two days and then given up.`,
      'Look at what your server answers:',
      link,
      'What has failed can be sent again from there once it works.',
    ],
  }),
  'address-failing': ({ business = '', url = '', since = '', days = '', left = '', link = '' }: LetterValues) => ({
    subject: `A webhook address of ${business} answers nothing but errors`,
    lines: [
      `Since ${since}, for ${days === '1' ? 'a day' : `${days} days`}, ${url} has answered every webhook of ${business} with an error, or not at all.`,
      `If that goes on, it is switched off in ${left === '1' ? 'a day' : `${left} days`}. Its events then wait, and are sent when you switch it on again. Your other addresses go on.`,
      'Look at what your server answers:',
      link,
    ],
  }),
} as const satisfies Record<string, (values: LetterValues) => Letter>

export type Template = keyof typeof LETTERS

/** The mails that carry files, which are made when the mail is sent and stored nowhere. */
export const MAILS_WITH_FILES = ['month-close'] as const satisfies Template[]

/** Fills one template; null for an unknown one. A template of a newer release is unknown here: its mail waits for a process that knows it. */
export function findLetter(template: string, values: LetterValues): Letter | null {
  const write = (LETTERS as Readonly<Record<string, (values: LetterValues) => Letter>>)[template]
  return write === undefined ? null : write(withoutHiddenText(values))
}

/** Removes invisible characters from the values: text of others stands in our mails and must not change how they read. */
const withoutHiddenText = (values: LetterValues): LetterValues =>
  Object.fromEntries(
    Object.entries(values).map(([name, value]) => [
      name,
      value.includes('\n') ? value.split('\n').map(oneLine).join('\n') : isolateDirection(oneLine(value)),
    ]),
  )
