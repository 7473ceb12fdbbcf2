import { invalidRequest } from '../platform/refusal.ts'
import { withoutUnseen } from '../platform/text.ts'

const LONGEST = 200
// A name stands in our mails and on our pages before it is verified, so it must not lead its readers to another address.
const ADDRESS =
  /:\/\/|\bwww\.|@|\p{L}\.(?:com|net|org|info|biz|co|ug|ke|tz|rw|io|me|ly|link|app|dev|xyz|shop|site|online|top|live|club)\b/iu
// The shortest number that can be dialled here: one of this country without its first 0. "Studio 2000000" is a name.
const FEWEST_DIGITS_OF_A_PHONE = 9

/** Parses the name of a business at sign-up. Throws 400. */
export function readBusinessName(typed: string): string {
  const name = withoutUnseen(typed.normalize('NFC')).replace(/\s+/g, ' ')
  if (name === '' || [...name].length > LONGEST)
    throw invalidRequest(`business must be 1 to ${LONGEST} characters`)
  if (ADDRESS.test(name)) throw invalidRequest('business must be a name, without a web or e-mail address')
  if (digitsInARow(name) >= FEWEST_DIGITS_OF_A_PHONE)
    throw invalidRequest(
      `business must be a name, without a phone number: at most ${FEWEST_DIGITS_OF_A_PHONE - 1} digits in a row`,
    )
  return name
}

/** Counts the longest run of digits; blanks, dashes, dots and the like may stand between them. */
const digitsInARow = (name: string): number =>
  Math.max(
    0,
    ...(name.match(/\p{Nd}[\p{Nd}\s().+\-/_]*/gu) ?? []).map((run) => run.match(/\p{Nd}/gu)?.length ?? 0),
  )
