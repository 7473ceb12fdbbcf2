import { createRequire } from 'node:module'

/** Regular for text, bold for headings and totals. */
export type Weight = 'regular' | 'bold'

/** A piece of text in one font: its glyphs as the document numbers them, in hex, and its width at a size of 1000. */
export type Run = { font: FontFile; glyphs: string; width: number; readAs: string | null }

/** The part of pdfkit's fonts used here; its own text layout is many times slower for a table. */
export type FontFile = {
  id: string
  font: { hasGlyphForCodePoint(codePoint: number): boolean }
  encode(text: string, features?: object): [glyphs: string[], positions: { xAdvance: number }[]]
  ref(): unknown
}
export type Fonts = { runsOf(text: string, weight: Weight): Run[] }

// Each file covers one script and lacks the rest, ASCII too; so a text changes font from character to character.
const SCRIPTS = ['latin', 'latin-ext', 'vietnamese', 'greek', 'cyrillic', 'cyrillic-ext', 'greek-ext']
const WEIGHTS = { regular: 400, bold: 600 }
// Scripts whose letters change shape with their neighbours, so that words are set as a whole.
const SHAPED = [
  { first: /^\p{Script=Devanagari}/u, font: 'noto-sans/files/noto-sans-devanagari' },
  { first: /^\p{Script=Arabic}/u, font: 'noto-sans-arabic/files/noto-sans-arabic-arabic' },
]
// Arabic runs from right to left, so its words stay together with the spaces between them.
const PARTS =
  /[\p{Script=Devanagari}\u200c\u200d]+|\p{Script=Arabic}[\p{Script_Extensions=Arabic}\p{M}\u200c\u200d]*(?: +[\p{Script_Extensions=Arabic}\p{M}\u200c\u200d]+)*|[^\p{Script=Devanagari}\p{Script=Arabic}]+/gu
// Every character of the first plane as a bitmap: Chinese, Japanese, Korean, Ethiopic, Thai. Three megabytes, read only
// when needed.
const LAST_RESORT = 'unifontex/files/unifontex-latin-400-normal.woff'
// Control characters; a name that contains them must not draw boxes.
const UNSEEN = /[\p{Cc}\p{Cf}]/u
const files = createRequire(import.meta.url)

/** The fonts of one document, each read from disk when a character needs it. */
export function openFonts(document: PDFKit.PDFDocument): Fonts {
  const load = fontLoader(document)
  const characters = { regular: new Map<string, Run>(), bold: new Map<string, Run>() }

  const fontOf = (script: string, weight: Weight) => fontAt(`noto-sans/files/noto-sans-${script}`, weight)
  const fontAt = (family: string, weight: Weight) => load(`${family}-${WEIGHTS[weight]}-normal.woff`)

  function characterRun(character: string, weight: Weight): Run {
    const known = characters[weight].get(character)
    if (known) return known
    const run = makeRun(character, weight)
    characters[weight].set(character, run)
    return run
  }

  function makeRun(character: string, weight: Weight): Run {
    const latin = fontOf('latin', weight)
    if (UNSEEN.test(character)) return { font: latin, glyphs: '', width: 0, readAs: null }
    const codePoint = codeOf(character)
    const script = SCRIPTS.find((one) => fontOf(one, weight).font.hasGlyphForCodePoint(codePoint))
    if (script !== undefined) return encoded(fontOf(script, weight), character)
    const lastResort = load(LAST_RESORT)
    if (lastResort.font.hasGlyphForCodePoint(codePoint)) return encoded(lastResort, character)
    // No font has it: a box is drawn, but search and copy still find the character.
    const [box] = latin.encode('\ufffd')
    return { font: latin, glyphs: box.join(''), width: 1000, readAs: character }
  }

  function addCharacters(runs: Run[], text: string, weight: Weight): void {
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

  function addPart(runs: Run[], part: string, weight: Weight): void {
    const shaped = SHAPED.find(({ first }) => first.test(part))
    const font = shaped && fontAt(shaped.font, weight)
    const known = font && [...part].every((one) => one === ' ' || font.font.hasGlyphForCodePoint(codeOf(one)))
    // Glyphs from right to left would be copied backwards.
    if (known) runs.push({ ...encoded(font, part), readAs: part })
    else addCharacters(runs, part, weight)
  }

  return {
    runsOf(text, weight) {
      const runs: Run[] = []
      for (const part of text.match(PARTS) ?? []) addPart(runs, part, weight)
      return runs
    },
  }
}

/** Reads a font file when it is first asked for. */
function fontLoader(document: PDFKit.PDFDocument): (name: string) => FontFile {
  const loaded = new Map<string, FontFile>()
  return (name) => {
    const known = loaded.get(name)
    if (known) return known
    document.font(files.resolve(`@fontsource/${name}`))
    // pdfkit has no public access to the font that it has just opened.
    const font = (document as unknown as { _font: FontFile })._font
    loaded.set(name, font)
    return font
  }
}

const codeOf = (character: string) => character.codePointAt(0) ?? 0

function encoded(font: FontFile, text: string): Run {
  // With a list of features, even an empty one, a text is set as one piece; without it, word by word from left to right.
  const [glyphs, positions] = font.encode(text, {})
  const width = positions.reduce((sum, { xAdvance }) => sum + xAdvance, 0)
  return { font, glyphs: glyphs.join(''), width, readAs: null }
}
