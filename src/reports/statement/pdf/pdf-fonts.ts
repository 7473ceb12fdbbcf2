import { createRequire } from 'node:module'
import { mayRunRightToLeft } from '../../../platform/text/text.ts'
import { type Direction, directionOf, mirror, splitIntoStretches } from './reading-order.ts'

/** Regular for text, bold for headings and totals. */
export type Weight = 'regular' | 'bold'

/** A piece of text in one font: its glyphs as the document numbers them, in hex, and its width at a size of 1000. */
export type GlyphRun = { font: FontFile; glyphs: string; width: number; readAs: string | null }

/** The part of pdfkit's fonts used here; its own text layout is many times slower for a table. */
type FontFile = {
  id: string
  font: { hasGlyphForCodePoint(codePoint: number): boolean }
  encode(text: string, features?: object): [glyphs: string[], positions: { xAdvance: number }[]]
  ref(): unknown
}
type Fonts = {
  /** The runs of a line from left to right. */
  runsOf(line: string, weight: Weight, direction?: Direction): GlyphRun[]
}

// Each file covers one script and lacks the rest, ASCII too; so a text changes font from character to character.
const SCRIPTS = ['latin', 'latin-ext', 'vietnamese', 'greek', 'cyrillic', 'cyrillic-ext', 'greek-ext']
const ARABIC = 'noto-sans-arabic/files/noto-sans-arabic-arabic'
const WEIGHTS = { regular: 400, bold: 600 }
// Scripts whose letters change shape with their neighbours, so that words are set as one piece.
const SHAPED_SCRIPTS = [
  { first: /^\p{Script=Devanagari}/u, font: 'noto-sans/files/noto-sans-devanagari' },
  { first: /^\p{Script=Arabic}/u, font: ARABIC },
]
// Arabic words stay together with the spaces between them.
const PARTS =
  /[\p{Script=Devanagari}\u200c\u200d]+|\p{Script=Arabic}[\p{Script_Extensions=Arabic}\p{M}\u200c\u200d]*(?: +[\p{Script_Extensions=Arabic}\p{M}\u200c\u200d]+)*|[^\p{Script=Devanagari}\p{Script=Arabic}]+/gu
// Every character of the first plane as a bitmap: Chinese, Japanese, Korean, Ethiopic, Thai. Three megabytes, read only
// when needed.
const LAST_RESORT = 'unifontex/files/unifontex-latin-400-normal.woff'
// Control characters; a name that contains them must not draw boxes.
const INVISIBLE = /[\p{Cc}\p{Cf}]/u
// Marks stay behind the letter that they belong to.
const WITH_MARKS = /\p{M}+|\P{M}\p{M}*/gu
const ARABIC_LETTER = /^\p{Script=Arabic}/u
const OF_ARABIC = /\p{Script_Extensions=Arabic}/u
const fontFiles = createRequire(import.meta.url)

/** The fonts of one document, each read from disk when a character needs it. */
export function openFonts(document: PDFKit.PDFDocument): Fonts {
  const { addCharacters, shapedRun } = openGlyphs(fontLoader(document))

  /** Text that is read from left to right. Arabic digits are added one by one, because their font would turn them as it turns words. */
  function addStraight(runs: GlyphRun[], text: string, weight: Weight): void {
    for (const part of splitByScript(text)) {
      const run = ARABIC_LETTER.test(part) ? null : shapedRun(part, weight)
      if (run === null) addCharacters(runs, part, weight)
      else runs.push(run)
    }
  }

  /** Text that is read from right to left: its end is drawn first. Words of Arabic are turned by their font. */
  function addTurned(runs: GlyphRun[], text: string, weight: Weight): void {
    for (const part of splitByScript(text).reverse()) {
      const run = shapedRun(part, weight)
      if (run === null) addCharacters(runs, reverseCharacters(part), weight)
      else runs.push(run)
    }
  }

  return {
    runsOf(line, weight, direction = directionOf(line)) {
      const runs: GlyphRun[] = []
      if (!mayRunRightToLeft(line)) addStraight(runs, line, weight)
      else
        for (const stretch of splitIntoStretches(line, direction))
          if (stretch.direction === 'rtl') addTurned(runs, stretch.text, weight)
          else addStraight(runs, stretch.text, weight)
      return runs
    },
  }
}

const splitByScript = (text: string): string[] => text.match(PARTS) ?? []

const reverseCharacters = (text: string): string =>
  (text.match(WITH_MARKS) ?? [])
    .reverse()
    .map((character) => (character.length === 1 ? mirror(character) : character))
    .join('')

/** Finds the glyphs of characters and of joined letters. */
function openGlyphs(load: (name: string) => FontFile) {
  const characters = { regular: new Map<string, GlyphRun>(), bold: new Map<string, GlyphRun>() }

  const fontOf = (script: string, weight: Weight) => fontAt(`noto-sans/files/noto-sans-${script}`, weight)
  const fontAt = (family: string, weight: Weight) => load(`${family}-${WEIGHTS[weight]}-normal.woff`)

  function characterRun(character: string, weight: Weight): GlyphRun {
    const known = characters[weight].get(character)
    if (known) return known
    const run = makeRun(character, weight)
    characters[weight].set(character, run)
    return run
  }

  function makeRun(character: string, weight: Weight): GlyphRun {
    const latin = fontOf('latin', weight)
    if (INVISIBLE.test(character)) return { font: latin, glyphs: '', width: 0, readAs: null }
    const codePoint = codeOf(character)
    const script = SCRIPTS.find((name) => fontOf(name, weight).font.hasGlyphForCodePoint(codePoint))
    if (script !== undefined) return encodeRun(fontOf(script, weight), character)
    // Digits and signs that stand among letters of another direction; letters are set with their neighbours.
    const arabic = OF_ARABIC.test(character) ? fontAt(ARABIC, weight) : null
    if (arabic?.font.hasGlyphForCodePoint(codePoint)) return encodeRun(arabic, character)
    const lastResort = load(LAST_RESORT)
    if (lastResort.font.hasGlyphForCodePoint(codePoint)) return encodeRun(lastResort, character)
    // No font has it: a box is drawn, but search and copy still find the character.
    const [box] = latin.encode('\ufffd')
    return { font: latin, glyphs: box.join(''), width: 1000, readAs: character }
  }

  function addCharacters(runs: GlyphRun[], text: string, weight: Weight): void {
    let last = runs.at(-1)
    for (const character of text) {
      const run = characterRun(character, weight)
      if (last && last.font === run.font && last.readAs === null && run.readAs === null) {
        last.glyphs += run.glyphs
        last.width += run.width
      } else {
        last = { ...run }
        runs.push(last)
      }
    }
  }

  /** The run of letters that change with their neighbours; null for other letters, or where the font lacks one. */
  function shapedRun(part: string, weight: Weight): GlyphRun | null {
    const shaped = SHAPED_SCRIPTS.find(({ first }) => first.test(part))
    const font = shaped && fontAt(shaped.font, weight)
    if (
      !font ||
      ![...part].every((character) => character === ' ' || font.font.hasGlyphForCodePoint(codeOf(character)))
    )
      return null
    // Joined letters are copied as the text that they were made of.
    return { ...encodeRun(font, part), readAs: part }
  }

  return { addCharacters, shapedRun }
}

/** Reads each font file at its first use. */
function fontLoader(document: PDFKit.PDFDocument): (name: string) => FontFile {
  const loaded = new Map<string, FontFile>()
  return (name) => {
    const known = loaded.get(name)
    if (known) return known
    document.font(fontFiles.resolve(`@fontsource/${name}`))
    // pdfkit has no public access to the font that it has just opened.
    const font = (document as unknown as { _font: FontFile })._font
    loaded.set(name, font)
    return font
  }
}

const codeOf = (character: string) => character.codePointAt(0) ?? 0

function encodeRun(font: FontFile, text: string): GlyphRun {
  // With a list of features, even an empty one, a text is set as one piece; without it, word by word from left to right.
  const [glyphs, positions] = font.encode(text, {})
  const width = positions.reduce((sum, { xAdvance }) => sum + xAdvance, 0)
  return { font, glyphs: glyphs.join(''), width, readAs: null }
}
