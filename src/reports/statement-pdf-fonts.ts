import { createRequire } from 'node:module'

/** Regular for what is read, bold for what is looked for. */
export type Weight = 'regular' | 'bold'

/** A piece of text in one font: its glyphs as the document numbers them, in hex, and its width at a size of 1000. */
export type Run = { font: FontFile; glyphs: string; width: number; readAs: string | null }

/** What of pdfkit's fonts is used here; its own way of setting text takes many times as long for a table. */
export type FontFile = {
  id: string
  font: { hasGlyphForCodePoint(codePoint: number): boolean }
  encode(text: string): [glyphs: string[], positions: { xAdvance: number }[]]
  ref(): unknown
}
export type Fonts = { runsOf(text: string, weight: Weight): Run[] }

// Each file covers one script and lacks the rest, ASCII too; so a text changes font from character to character.
const SCRIPTS = ['latin', 'latin-ext', 'vietnamese', 'greek', 'cyrillic', 'cyrillic-ext', 'greek-ext']
const WEIGHTS = { regular: 400, bold: 600 }
// Its letters take their shape from their neighbours, so they are set as a whole.
const DEVANAGARI = /^\p{Script=Devanagari}/u
const PARTS = /[\p{Script=Devanagari}\u200c\u200d]+|[^\p{Script=Devanagari}]+/gu
// Characters that are there to be obeyed, not seen; a name that carries them must not draw boxes.
const UNSEEN = /[\p{Cc}\p{Cf}]/u
const files = createRequire(import.meta.url)

/** The fonts of one document, each read from disk when a character needs it. */
export function openFonts(document: PDFKit.PDFDocument): Fonts {
  const loaded = new Map<string, FontFile>()
  const characters = { regular: new Map<string, Run>(), bold: new Map<string, Run>() }

  function fontOf(script: string, weight: Weight): FontFile {
    const name = `${script}-${WEIGHTS[weight]}`
    const known = loaded.get(name)
    if (known) return known
    document.font(files.resolve(`@fontsource/noto-sans/files/noto-sans-${name}-normal.woff`))
    // pdfkit has no public way to the font that it has just opened.
    const font = (document as unknown as { _font: FontFile })._font
    loaded.set(name, font)
    return font
  }

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
    const codePoint = character.codePointAt(0) ?? 0
    const script = SCRIPTS.find((one) => fontOf(one, weight).font.hasGlyphForCodePoint(codePoint))
    if (script !== undefined) return encoded(fontOf(script, weight), character)
    // No font here has it: a box is drawn, and whoever searches or copies the text still finds the character.
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

  return {
    runsOf(text, weight) {
      const runs: Run[] = []
      for (const part of text.match(PARTS) ?? [])
        if (DEVANAGARI.test(part)) runs.push(encoded(fontOf('devanagari', weight), part))
        else addCharacters(runs, part, weight)
      return runs
    },
  }
}

function encoded(font: FontFile, text: string): Run {
  const [glyphs, positions] = font.encode(text)
  const width = positions.reduce((sum, { xAdvance }) => sum + xAdvance, 0)
  return { font, glyphs: glyphs.join(''), width, readAs: null }
}
