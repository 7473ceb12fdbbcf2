import { encodeQR } from 'qr'
import { blackAndWhitePng } from './png.ts'

const QUIET_ZONE = 4 // White modules on every side, without which cameras do not find the code (ISO 18004).
const MODULE_PIXELS = 8 // Large enough to print a hand wide without blur, small enough for a kilobyte.
const MAX_CACHED_CODES = 500 // A rendered code is a few kilobytes, so a cache is a few megabytes at most.

/** The QR code of a text as an SVG document, which does not contain the text itself. */
export const qrSvg = cacheCodes(renderSvg)

/** The QR code of a text as a PNG. Callers must not write into it, because it is shared. */
export const qrPng = cacheCodes(renderPng)

/** Wraps a renderer with a cache of the last `maxCodes` codes. */
export function cacheCodes<Code>(render: (text: string) => Code, maxCodes = MAX_CACHED_CODES): (text: string) => Code {
  const cache = new Map<string, Code>()
  return (text) => {
    const code = cache.get(text) ?? render(text)
    // A map keeps insertion order, so its first entry is the least recently used.
    cache.delete(text)
    cache.set(text, code)
    const [oldest] = cache.keys()
    if (cache.size > maxCodes && oldest !== undefined) cache.delete(oldest)
    return code
  }
}

/** Encodes a text to rows of modules; black is true. Level M: readable while up to a seventh of the code is damaged. */
const encodeModules = (text: string) => encodeQR(text, 'raw', { ecc: 'medium', border: QUIET_ZONE })

function renderPng(text: string): Buffer {
  return blackAndWhitePng(encodeModules(text), MODULE_PIXELS)
}

/** Paints both black and white, so that a dark page cannot invert the code. */
function renderSvg(text: string): string {
  const modules = encodeModules(text)
  const size = modules.length
  const bars = modules.flatMap((row, y) => findBars(row).map(([x, width]) => `M${x} ${y}h${width}v1h-${width}z`))
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${size} ${size}"`,
    ` width="${size * MODULE_PIXELS}" height="${size * MODULE_PIXELS}" shape-rendering="crispEdges">`,
    `<rect width="${size}" height="${size}" fill="#ffffff"/><path fill="#000000" d="${bars.join('')}"/></svg>`,
  ].join('')
}

/** Finds the bars of black modules in a row, each with its start and its length. */
function findBars(row: readonly boolean[]): [number, number][] {
  const bars: [number, number][] = []
  for (let x = 0; x < row.length; x += 1) {
    const from = x
    while (row[x]) x += 1
    if (x > from) bars.push([from, x - from])
  }
  return bars
}
