import { encodeQR } from 'qr'
import { blackAndWhitePng } from './png.ts'

const QUIET_ZONE = 4 // Modules of white on every side, without which cameras do not find it (ISO 18004).
const MODULE_PIXELS = 8 // Large enough to print a hand wide without blur, small enough for a kilobyte.
const REMEMBERED = 500 // A rendered code is a few kilobytes: a few megabytes at the most.

/** The QR of a text as an SVG document. The text itself does not stand in it. */
export const qrSvg = remembering(renderSvg)

/** The QR of a text as a PNG. Whoever is given it must not write into it: it is given to others too. */
export const qrPng = remembering(renderPng)

/** The same function, which knows the codes that were asked for last, `most` of them, without rendering them again. */
export function remembering<Code>(render: (text: string) => Code, most = REMEMBERED): (text: string) => Code {
  const known = new Map<string, Code>()
  return (text) => {
    const code = known.get(text) ?? render(text)
    // A map keeps the order in which its entries were put in: the first one is what nobody has asked for longest.
    known.delete(text)
    known.set(text, code)
    const [oldest] = known.keys()
    if (known.size > most && oldest !== undefined) known.delete(oldest)
    return code
  }
}

/** Black is true. A dirty seventh of it may be unreadable (level M). */
const modulesOf = (text: string) => encodeQR(text, 'raw', { ecc: 'medium', border: QUIET_ZONE })

function renderPng(text: string): Buffer {
  return blackAndWhitePng(modulesOf(text), MODULE_PIXELS)
}

/** Black and white are both painted, so that a dark page cannot turn it round. */
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
