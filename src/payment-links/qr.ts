import { encodeQR } from 'qr'
import { blackAndWhitePng } from './png.ts'

const QUIET_ZONE = 4 // Modules of white on every side, without which cameras do not find it (ISO 18004).
const MODULE_PIXELS = 8 // Large enough to print a hand wide without blur, small enough for a kilobyte.
const REMEMBERED = 500 // A rendered code is a few kilobytes: a few megabytes at the most.

/** The QR of a text as an SVG document. The text itself does not stand in it. */
export const qrSvg = remembering(renderSvg)

/** The QR code of a text as a PNG. Callers must not write into it, because it is shared. */
export const qrPng = remembering(renderPng)

/** The same function with a cache of the last `most` codes. */
export function remembering<Code>(render: (text: string) => Code, most = REMEMBERED): (text: string) => Code {
  const known = new Map<string, Code>()
  return (text) => {
    const code = known.get(text) ?? render(text)
    // A map keeps insertion order, so its first entry is the least recently used.
    known.delete(text)
    known.set(text, code)
    const [oldest] = known.keys()
    if (known.size > most && oldest !== undefined) known.delete(oldest)
    return code
  }
}

/** Black is true. Level M: about a seventh of the code may be unreadable. */
const modulesOf = (text: string) => encodeQR(text, 'raw', { ecc: 'medium', border: QUIET_ZONE })

function renderPng(text: string): Buffer {
  return blackAndWhitePng(modulesOf(text), MODULE_PIXELS)
}

/** Black and white are both painted, so that a dark page cannot invert it. */
function renderSvg(text: string): string {
  const modules = modulesOf(text)
  const size = modules.length
  const bars = modules.flatMap((row, y) =>
    barsOf(row).map(([x, width]) => `M${x} ${y}h${width}v1h-${width}z`),
  )
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${size} ${size}"`,
    ` width="${size * MODULE_PIXELS}" height="${size * MODULE_PIXELS}" shape-rendering="crispEdges">`,
    `<rect width="${size}" height="${size}" fill="#ffffff"/><path fill="#000000" d="${bars.join('')}"/></svg>`,
  ].join('')
}

/** Where black begins in a row, and how far it goes. */
function barsOf(row: readonly boolean[]): [number, number][] {
  const bars: [number, number][] = []
  for (let x = 0; x < row.length; x += 1) {
    const from = x
    while (row[x]) x += 1
    if (x > from) bars.push([from, x - from])
  }
  return bars
}
