const ECHO_CHARACTERS = 40 // Enough to recognise one's own mistake, too little to carry somebody else's data (G73).

/** Input as it may be repeated in an error text (G73): no control characters, at most 40 characters, well formed. */
export function echo(text: string): string {
  let kept = ''
  let count = 0
  for (const character of text) {
    if (isControl(character.charCodeAt(0)) || isLoneSurrogate(character)) continue
    kept += character
    count += 1
    if (count === ECHO_CHARACTERS) break
  }
  return kept
}

// Marks that change nothing that somebody sees; the two joiners (U+200C, U+200D) make letters of some scripts.
const MARKS = /(?![\u200C\u200D])[\p{Default_Ignorable_Code_Point}\p{Cf}]/gu
const SPACES = /[\p{Zs}\t]/gu
const DASHES = /[\u2010-\u2015\u2212]/g

/**
 * What a person has typed or pasted into a page, as it looks: chats, contacts and documents put marks around a number that nobody sees, and
 * spaces and dashes of their own. What programs send is read as it stands (contract 2.0).
 */
export const asSeen = (text: string): string =>
  text.replace(MARKS, '').replace(SPACES, ' ').replace(DASHES, '-')

/** Whether the text holds a control character that its field refuses (contract 2.0). `allowLines` lets tab, LF and CR pass. */
export function hasForbiddenControl(text: string, allowLines: boolean): boolean {
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at)
    if (isControl(unit) && !(allowLines && isLineControl(unit))) return true
  }
  return false
}

/** C0 with NUL, DEL and C1. */
export function isControl(unit: number): boolean {
  return unit < 0x20 || (unit >= 0x7f && unit <= 0x9f)
}

/** Tab, line feed and carriage return: the control characters that people type. */
export function isLineControl(unit: number): boolean {
  return unit === 0x09 || unit === 0x0a || unit === 0x0d
}

// Iterating a string yields whole pairs, so a surrogate that comes alone has lost its partner.
function isLoneSurrogate(character: string): boolean {
  return character.length === 1 && (character.charCodeAt(0) & 0xf800) === 0xd800
}

// Invisible characters and those that change the reading direction: with them a name could make an amount read backwards.
const UNSEEN = /[\p{Cc}\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u2069\ufeff]+/gu

/** Text from outside in one line, without characters that nobody sees or that turn what is read. */
export const withoutUnseen = (text: string): string => text.replace(UNSEEN, ' ').trim()

// The blocks of Unicode whose letters run from right to left, with their digits and their forms for printing.
const TURNS = /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufeff\u{10800}-\u{10fff}\u{1e800}-\u{1efff}]/u

/** Whether some of a text may run from right to left; most texts do not. */
export const mayTurn = (text: string): boolean => TURNS.test(text)

/**
 * A name from outside for a sentence of ours: where it runs from right to left it would take the amounts and words beside it along. Marks
 * that nobody sees keep it to itself (U+2068, U+2069).
 */
export const inSentence = (name: string): string => (mayTurn(name) ? `\u2068${name}\u2069` : name)
