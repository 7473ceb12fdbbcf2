import bidiOf from 'bidi-js'
import { mayRunRightToLeft } from '../../../platform/text/text.ts'

/** The direction of a text; a line has the direction of its whole text. */
export type Direction = 'ltr' | 'rtl'
/** A part of a line in one direction, its characters in reading order. */
type Stretch = { text: string; direction: Direction }

// The package is the function itself; its types describe a module with a default.
const openBidi = bidiOf as unknown as typeof bidiOf.default
type Bidi = ReturnType<typeof openBidi>

// Marks for embedding, overriding and isolating. A name or a reference with them must not turn the text beside it.
const TURNING_MARKS = /[\u202a-\u202e\u2066-\u2069]/g
const FIRST_LETTER = /[\p{L}]/u

// The package sorts UTF-16 units, so each character beyond the first plane is replaced by one of the same kind within it.
const BEYOND = /[\u{10000}-\u{10ffff}]/u
const RIGHT_TO_LEFT_BEYOND = /[\u{10800}-\u{10fff}\u{1e800}-\u{1efff}]/u
const STAND_INS = { mark: '\u0591', rightToLeft: '\u05d0', sign: '\u2022', letter: 'a' }

let opened: Bidi | null = null
/** The package's tables are read when the first right-to-left text is printed. */
const bidi = (): Bidi => {
  opened ??= openBidi()
  return opened
}

/** The direction of a whole text: that of its first letter. */
export function directionOf(text: string): Direction {
  const first = FIRST_LETTER.exec(text)?.[0] ?? ''
  return mayRunRightToLeft(first) ? 'rtl' : 'ltr'
}

/** A line as it is printed: its stretches from left to right, by the Unicode bidirectional algorithm (UAX 9). */
export function splitIntoStretches(line: string, direction: Direction): Stretch[] {
  const characters = [...line.replace(TURNING_MARKS, '')]
  const units = characters.map((character) => (BEYOND.test(character) ? standIn(character) : character)).join('')
  const embedding = bidi().getEmbeddingLevels(units, direction)
  const stretches: Stretch[] = []
  let last = -1
  for (const at of bidi().getReorderedIndices(units, embedding)) {
    const isRtl = (embedding.levels[at] ?? 0) % 2 === 1
    const character = characters[at] ?? ''
    const stretch = stretches.at(-1)
    if (stretch?.direction === 'rtl' && isRtl && at === last - 1) stretch.text = character + stretch.text
    else if (stretch?.direction === 'ltr' && !isRtl && at === last + 1) stretch.text += character
    else stretches.push({ text: character, direction: isRtl ? 'rtl' : 'ltr' })
    last = at
  }
  return stretches
}

/** The character that replaces a bracket where it is read from right to left. */
export const mirror = (character: string): string => bidi().getMirroredCharacter(character) ?? character

function standIn(character: string): string {
  if (/\p{M}/u.test(character)) return STAND_INS.mark
  if (RIGHT_TO_LEFT_BEYOND.test(character)) return STAND_INS.rightToLeft
  return /[\p{L}\p{N}]/u.test(character) ? STAND_INS.letter : STAND_INS.sign
}
