const ECHO_CHARACTERS = 40 // Enough to recognise one's own mistake, too little to carry somebody else's data (G73).

/** Cuts input to what an error text may repeat (G73): no control characters, at most 40 characters, well formed. */
export function echo(text: string): string {
  let repeated = ''
  let count = 0
  for (const character of text) {
    if (isControl(character.charCodeAt(0)) || isLoneSurrogate(character)) continue
    repeated += character
    count += 1
    if (count === ECHO_CHARACTERS) break
  }
  return repeated
}

/** Compares the length in characters: one beyond U+FFFF has two units. A text of more than twice as many units need not be counted. */
export const isLongerThan = (most: number, text: string): boolean =>
  text.length > most && (text.length > 2 * most || [...text].length > most)

// Invisible marks, but for the two joiners (U+200C, U+200D), which some scripts need for their letters.
const INVISIBLE_MARKS = /(?![\u200C\u200D])[\p{Default_Ignorable_Code_Point}\p{Cf}]/gu
const SPACES = /[\p{Zs}\t]/gu
const DASHES = /[\u2010-\u2015\u2212]/g

/**
 * Cleans a text that a person typed or pasted into a page: chats, contacts and documents put invisible marks around numbers, and use spaces
 * and dashes of their own. Texts from programs are read unchanged (contract 2.0).
 */
export const cleanTyped = (text: string): string =>
  text.replace(INVISIBLE_MARKS, '').replace(SPACES, ' ').replace(DASHES, '-')

/** Whether the text holds a control character that its field refuses (contract 2.0). `allowLines` lets tab, LF and CR pass. */
export function hasForbiddenControl(text: string, allowLines: boolean): boolean {
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at)
    if (isControl(unit) && !(allowLines && isLineControl(unit))) return true
  }
  return false
}

/** Whether the unit is a control character: C0 with NUL, DEL or C1. */
export function isControl(unit: number): boolean {
  return unit < 0x20 || (unit >= 0x7f && unit <= 0x9f)
}

/** Whether the unit is a tab, line feed or carriage return: the control characters that people type. */
export function isLineControl(unit: number): boolean {
  return unit === 0x09 || unit === 0x0a || unit === 0x0d
}

// Iterating a string yields whole surrogate pairs, so a single surrogate has lost its partner.
function isLoneSurrogate(character: string): boolean {
  return character.length === 1 && (character.charCodeAt(0) & 0xf800) === 0xd800
}

// Invisible characters and those that change the reading direction: with these a name could make an amount read backwards.
const INVISIBLE = /[\p{Cc}\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u2069\ufeff]+/gu

/** Cleans a text from outside: one line, without characters that are invisible or change the reading direction. */
export const oneLine = (text: string): string => text.replace(INVISIBLE, ' ').trim()

// The blocks of Unicode whose letters run from right to left, with their digits and presentation forms.
const RIGHT_TO_LEFT = /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufeff\u{10800}-\u{10fff}\u{1e800}-\u{1efff}]/u

/** Whether a part of the text may run from right to left; most texts do not. */
export const mayRunRightToLeft = (text: string): boolean => RIGHT_TO_LEFT.test(text)

/**
 * Prepares a name from outside for a sentence of ours: one that runs from right to left would reverse the amounts and words beside it.
 * Invisible marks (U+2068, U+2069) isolate it.
 */
export const isolateDirection = (name: string): string => (mayRunRightToLeft(name) ? `\u2068${name}\u2069` : name)
