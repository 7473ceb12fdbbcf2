import PDFDocument from 'pdfkit'
import type { ExactSum } from '../../../platform/sums.ts'
import { mayRunRightToLeft } from '../../../platform/text/text.ts'
import { type GlyphRun, openFonts, type Weight } from './pdf-fonts.ts'
import type { Direction } from './reading-order.ts'

/** The style of a text. Sizes are points, colours red, green and blue from 0 to 1. */
export type TextStyle = { weight: Weight; size: number; colour: string }
/** The point at which the baseline of a text begins, ends or has its middle. */
type TextPosition = { x: number; y: number; align?: 'left' | 'right' | 'centre' }
/** A line as glyphs. `width`: in points. `readAs`: the text to copy, where the glyphs stand in another order. */
export type GlyphLine = { runs: readonly GlyphRun[]; width: number; style: TextStyle; readAs: string | null }
type PageBox = { x: number; y: number; width: number; height: number }

/** Pages that are drawn one after the other and handed over when they are full; y grows downwards. */
export type Pages = {
  /** Ends the page and begins the next one. Returns its number. */
  next(): number
  /** `direction`: the direction of the whole text of which this is a line. */
  words(line: string, style: TextStyle, direction?: Direction): GlyphLine
  draw(words: GlyphLine, place: TextPosition): void
  /** Draws the number of pages, which is known at the end: every page refers to one small drawing that is made last. */
  drawTotal(place: TextPosition): void
  fill(box: PageBox, colour: string): void
  end(total: TextStyle): void
  /** The bytes made since the last call. */
  take(): Uint8Array<ArrayBuffer>
}

// A4 on its side.
export const PAGE = { width: 841.89, height: 595.28, margin: 36 }
export const COLUMN_GAP = 7
const TOTAL = 'Total'
const TOTAL_BOX = [0, -4, 80, 12]

/** The parts of pdfkit that its types leave out. */
type PdfKitPage = {
  fonts: Record<string, unknown>
  xobjects: Record<string, unknown>
  dictionary: { data: unknown }
}

/** `made` is the document's date; nothing else in it depends on time or machine. */
export function openPages({ title, author, made }: { title: string; author: string; made: Date }): Pages {
  const document = newDocument({
    Title: title,
    Author: author,
    Creator: 'gateway',
    Producer: 'gateway',
    CreationDate: made,
  })
  const fonts = openFonts(document)
  const total = document.ref({ Type: 'XObject', Subtype: 'Form', BBox: TOTAL_BOX })
  const pageNow = () => document.page as unknown as PdfKitPage
  const content = openContent()
  let pages = 0

  const words: Pages['words'] = (line, style, direction) => {
    const runs = fonts.runsOf(line, style.weight, direction)
    const width = runs.reduce((sum, run) => sum + run.width, 0)
    return { runs, width: (width * style.size) / 1000, style, readAs: mayRunRightToLeft(line) ? line : null }
  }

  return {
    next() {
      const before = pages === 0 ? null : pageNow()
      if (before !== null) document.addContent(content.take())
      document.addPage()
      // A written page is referenced by number only, so that a long document does not keep its pages in memory.
      if (before !== null) before.dictionary.data = null
      pages += 1
      return pages
    },
    words,
    draw(set, { x, y, align = 'left' }) {
      if (set.runs.length === 0) return
      const from = x - (align === 'left' ? 0 : align === 'right' ? set.width : set.width / 2)
      content.paint(
        set.style.colour,
        `BT 1 0 0 -1 ${points(from)} ${points(y)} Tm ${textOperators(set, pageNow().fonts)} ET`,
      )
    },
    drawTotal({ x, y }) {
      pageNow().xobjects[TOTAL] = total
      content.add(`q 1 0 0 -1 ${points(x)} ${points(y)} cm /${TOTAL} Do Q`)
    },
    fill: ({ x, y, width, height }, colour) =>
      content.paint(colour, `${points(x)} ${points(y)} ${points(width)} ${points(height)} re f`),
    end(style) {
      document.addContent(content.take())
      const used = {}
      const drawing = textOperators(words(formatWhole(pages), style), used)
      Object.assign((total as unknown as { data: object }).data, { Resources: { Font: used } })
      total.end(Buffer.from(`${style.colour} rg BT ${drawing} ET`))
      document.end()
    },
    take: () => new Uint8Array((document.read() as Buffer | null) ?? []),
  }
}

/** The content of one page. A colour is written only when it changes, because a table has thousands of texts of the same colour. */
function openContent() {
  let operations: string[] = []
  let colourNow = ''
  return {
    add: (operation: string) => operations.push(operation),
    paint(colour: string, operation: string): void {
      operations.push(colour === colourNow ? operation : `${colour} rg ${operation}`)
      colourNow = colour
    },
    take(): string {
      const content = operations.join('\n')
      operations = []
      colourNow = ''
      return content
    },
  }
}

/** A whole number with commas between thousands. */
export const formatWhole = (value: ExactSum): string => String(value).replace(/\B(?=([0-9]{3})+$)/g, ',')

function newDocument(info: PDFKit.DocumentInfo): PDFKit.PDFDocument {
  return new PDFDocument({
    size: 'A4',
    layout: 'landscape',
    margin: 0,
    autoFirstPage: false,
    pdfVersion: '1.7',
    lang: 'en',
    displayTitle: true,
    // No font before the first text.
    font: '',
    fontLayoutCache: false,
    info,
  })
}

/** The PDF operators that draw a line; adds its fonts to the resources of the page. */
function textOperators({ runs, style, readAs }: GlyphLine, resources: Record<string, unknown>): string {
  const whole = runs
    .map((run) => {
      resources[run.font.id] ??= run.font.ref()
      const glyphs = `/${run.font.id} ${style.size} Tf <${run.glyphs}> Tj`
      return run.readAs === null || readAs !== null ? glyphs : withActualText(run.readAs, glyphs)
    })
    .join(' ')
  return readAs === null ? whole : withActualText(readAs, whole)
}

const withActualText = (text: string, glyphs: string) => `/Span <</ActualText <${utf16(text)}>>> BDC ${glyphs} EMC`
const points = (value: number) => String(Math.round(value * 100) / 100)
const utf16 = (text: string) => `FEFF${Buffer.from(text, 'utf16le').swap16().toString('hex')}`
