import assert from 'node:assert/strict'
import { inflateSync } from 'node:zlib'

/** The readable text of a page: its lines from top to bottom, with three spaces between the texts of a line. */
export type PdfPage = { lines: string[]; width: number; height: number }
type Piece = { dictionary: string; stream: Buffer }

const NAME = /\/(F[0-9]+|Total) ([0-9]+) 0 R/g
const SHOWN = /\/Span <<\/ActualText <FEFF([0-9a-f]*)>>> BDC .*? EMC|\/(F[0-9]+) [0-9.]+ Tf <([0-9a-f]*)> Tj/g
const TEXT = /BT 1 0 0 -1 ([-0-9.]+) ([-0-9.]+) Tm (.*?) ET|cm \/(Total) Do/g

/** Reads one of our PDFs as a viewer would: by its table of objects, its page tree, its fonts and their character maps. */
export function readPdf(bytes: Buffer): PdfPage[] {
  const pieces = piecesOf(bytes)
  const trailer = bytes.toString('latin1', bytes.lastIndexOf('trailer'))
  const root = pieceAt(pieces, trailer, /\/Root ([0-9]+) 0 R/)
  const tree = pieceAt(pieces, root.dictionary, /\/Pages ([0-9]+) 0 R/)
  const kids = /\/Kids \[(.*?)\]/s.exec(tree.dictionary)?.[1] ?? ''
  return [...kids.matchAll(/([0-9]+) 0 R/g)].map(([, id]) => pageOf(pieces, pieces.get(Number(id)) as Piece))
}

/** All text of the document, page by page. */
export const textOf = (pages: readonly PdfPage[]): string => pages.flatMap(({ lines }) => lines).join('\n')

function pageOf(pieces: Map<number, Piece>, page: Piece): PdfPage {
  const resources = pieceAt(pieces, page.dictionary, /\/Resources ([0-9]+) 0 R/)
  const content = pieceAt(pieces, page.dictionary, /\/Contents ([0-9]+) 0 R/).stream.toString('latin1')
  const names = new Map([...resources.dictionary.matchAll(NAME)].map(([, name, id]) => [name, Number(id)]))
  const [width = 0, height = 0] =
    /\/MediaBox \[0 0 ([0-9.]+) ([0-9.]+)\]/.exec(page.dictionary)?.slice(1).map(Number) ?? []
  const rows = new Map<number, { x: number; text: string }[]>()
  let last = { x: 0, y: 0 }
  for (const [, x, y, shown, total] of content.matchAll(TEXT)) {
    const text = total ? totalOf(pieces, pieces.get(names.get(total) ?? 0) as Piece) : read(pieces, shown ?? '', names)
    if (!total) last = { x: Number(x), y: Number(y) }
    const row = rows.get(last.y) ?? []
    if (total) row[row.length - 1] = { x: last.x, text: `${row.at(-1)?.text ?? ''}${text}` }
    else row.push({ x: last.x, text })
    rows.set(last.y, row)
  }
  const sorted = [...rows].sort(([a], [b]) => a - b)
  const lines = sorted.map(([, row]) =>
    row
      .sort((a, b) => a.x - b.x)
      .map(({ text }) => text)
      .join('   '),
  )
  return { lines, width, height }
}

function totalOf(pieces: Map<number, Piece>, drawing: Piece): string {
  const names = new Map([...drawing.dictionary.matchAll(NAME)].map(([, name, id]) => [name, Number(id)]))
  return read(pieces, drawing.stream.toString('latin1'), names)
}

/** Where the glyphs of a text stand: each with what it is a glyph of, from left to right. */
export type Glyph = { of: string; x: number; font: string }

const SIZED = /\/(F[0-9]+) ([0-9.]+) Tf <([0-9a-f]*)> Tj/g

/** The glyphs of every text of our PDF as they are drawn, whatever would be copied of them. */
export function glyphsOf(bytes: Buffer): Glyph[][] {
  const pieces = piecesOf(bytes)
  const pages = [...pieces.values()].filter(({ dictionary }) => /\/Type \/Page\b(?!s)/.test(dictionary))
  return pages.flatMap((page) => {
    const resources = pieceAt(pieces, page.dictionary, /\/Resources ([0-9]+) 0 R/)
    const content = pieceAt(pieces, page.dictionary, /\/Contents ([0-9]+) 0 R/).stream.toString('latin1')
    const names = new Map([...resources.dictionary.matchAll(NAME)].map(([, name, id]) => [name, Number(id)]))
    return [...content.matchAll(TEXT)].flatMap(([, x, , shown]) =>
      shown === undefined ? [] : [placed(pieces, { shown, fromX: Number(x) }, names)],
    )
  })
}

function placed(
  pieces: Map<number, Piece>,
  { shown, fromX }: { shown: string; fromX: number },
  fonts: Map<string | undefined, number>,
): Glyph[] {
  let x = fromX
  return [...shown.matchAll(SIZED)].flatMap(([, name, size, glyphs]) => {
    const font = pieces.get(fonts.get(name) ?? 0) as Piece
    const characters = charactersOf(pieceAt(pieces, font.dictionary, /\/ToUnicode ([0-9]+) 0 R/))
    const widths = widthsOf(pieceAt(pieces, font.dictionary, /\/DescendantFonts \[([0-9]+) 0 R/))
    return (glyphs?.match(/.{4}/g) ?? []).map((glyph) => {
      const id = Number.parseInt(glyph, 16)
      const at = { of: characters.get(id) ?? '', x, font: name ?? '' }
      x += ((widths[id] ?? 0) * Number(size)) / 1000
      return at
    })
  })
}

const widthsOf = ({ dictionary }: Piece): number[] =>
  (/\/W \[0 \[([^\]]*)\]/.exec(dictionary)?.[1] ?? '').trim().split(/\s+/).map(Number)

function read(pieces: Map<number, Piece>, shown: string, fonts: Map<string | undefined, number>): string {
  return [...shown.matchAll(SHOWN)]
    .map(([, actual, font, glyphs]) => {
      if (actual !== undefined) return utf16(actual)
      const map = pieceAt(pieces, pieces.get(fonts.get(font) ?? 0)?.dictionary ?? '', /\/ToUnicode ([0-9]+) 0 R/)
      const characters = charactersOf(map)
      return (glyphs?.match(/.{4}/g) ?? []).map((glyph) => characters.get(Number.parseInt(glyph, 16)) ?? '').join('')
    })
    .join('')
}

const known = new WeakMap<Piece, Map<number, string>>()

function charactersOf(piece: Piece): Map<number, string> {
  const before = known.get(piece)
  if (before) return before
  const map = piece.stream.toString('latin1')
  const found = new Map<number, string>()
  known.set(piece, found)
  for (const [, first, , list] of map.matchAll(/<([0-9a-f]+)> <([0-9a-f]+)> \[(.*?)\]/g))
    for (const [at, [, codes]] of [...(list ?? '').matchAll(/<([0-9a-f ]*)>/g)].entries())
      found.set(Number.parseInt(first ?? '', 16) + at, utf16((codes ?? '').replaceAll(' ', '')))
  return found
}

const utf16 = (hex: string) => Buffer.from(hex, 'hex').swap16().toString('utf16le')

function pieceAt(pieces: Map<number, Piece>, dictionary: string, reference: RegExp): Piece {
  const piece = pieces.get(Number(reference.exec(dictionary)?.[1]))
  assert.ok(piece, `${reference} leads somewhere`)
  return piece
}

/** Every object, found by the table at the end, which must be correct to the byte. */
function piecesOf(bytes: Buffer): Map<number, Piece> {
  const tail = bytes.toString('latin1', bytes.length - 64)
  const table = bytes.toString('latin1', Number(/startxref\n([0-9]+)\n%%EOF/.exec(tail)?.[1]))
  const offsets = [...table.matchAll(/^([0-9]{10}) 00000 n /gm)].map(([, offset]) => Number(offset))
  return new Map(offsets.map((offset, at) => [at + 1, pieceFrom(bytes, offset, at + 1)]))
}

function pieceFrom(bytes: Buffer, offset: number, id: number): Piece {
  const head = `${id} 0 obj\n`
  assert.equal(bytes.toString('latin1', offset, offset + head.length), head)
  const end = bytes.indexOf('endobj', offset)
  const from = bytes.indexOf('stream\n', offset)
  if (from === -1 || from > end) return { dictionary: bytes.toString('latin1', offset, end), stream: Buffer.alloc(0) }
  const dictionary = bytes.toString('latin1', offset, from)
  const length = Number(/\/Length ([0-9]+)/.exec(dictionary)?.[1])
  const stream = bytes.subarray(from + 'stream\n'.length, from + 'stream\n'.length + length)
  return { dictionary, stream: dictionary.includes('/FlateDecode') ? inflateSync(stream) : stream }
}
