import { invalidRequest } from '../../platform/refusal.ts'
import { oneLine } from '../../platform/text/text.ts'

const MAX_NAME_CHARACTERS = 200
// A name stands in our mails and on our pages before it is verified, so it must not lead its readers to another address.
const ADDRESS_IN_NAME =
  /:\/\/|\bwww\.|@|\p{L}\.(?:com|net|org|info|biz|co|ug|ke|tz|rw|io|me|ly|link|app|dev|xyz|shop|site|online|top|live|club)\b/iu
// The shortest number that can be dialled here: one of this country without its first 0. "Studio 2000000" is a name.
const MIN_PHONE_DIGITS = 9

/** Parses the name of a business at sign-up. Throws 400. */
export function parseBusinessName(typed: string): string {
  const name = oneLine(typed.normalize('NFC')).replace(/\s+/g, ' ')
  if (name === '' || [...name].length > MAX_NAME_CHARACTERS)
    throw invalidRequest(`business must be 1 to ${MAX_NAME_CHARACTERS} characters`)
  if (ADDRESS_IN_NAME.test(name)) throw invalidRequest('business must be a name, without a web or e-mail address')
  if (countLongestDigitRun(name) >= MIN_PHONE_DIGITS)
    throw invalidRequest(
      `business must be a name, without a phone number: at most ${MIN_PHONE_DIGITS - 1} digits in a row`,
    )
  return name
}

/** Counts the longest run of digits; blanks, dashes, dots and the like may stand between them. */
const countLongestDigitRun = (name: string): number =>
  Math.max(0, ...(name.match(/\p{Nd}[\p{Nd}\s().+\-/_]*/gu) ?? []).map((run) => run.match(/\p{Nd}/gu)?.length ?? 0))
