import { crc32, deflateSync } from 'node:zlib'

const SIGNATURE = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a])
const PIXELS_PER_BYTE = 8

/**
 * Encodes a square of black (true) and white modules as a PNG of one bit a pixel, every module `scale` pixels wide. It has
 * no colour information, so that every viewer shows black on white.
 */
export function blackAndWhitePng(modules: readonly (readonly boolean[])[], scale: number): Buffer {
  const size = modules.length * scale
  const line = Buffer.alloc(1 + Math.ceil(size / PIXELS_PER_BYTE))
  const lines = modules.flatMap((row) => new Array<Buffer>(scale).fill(renderLine(row, scale, line.length)))
  const header = Buffer.alloc(13)
  header.writeUInt32BE(size, 0)
  header.writeUInt32BE(size, 4)
  header.writeUInt8(1, 8) // bits a pixel; the four bytes after it stay 0: grey, the one compression, filter and order
  return Buffer.concat([
    SIGNATURE,
    encodeChunk('IHDR', header),
    encodeChunk('IDAT', deflateSync(Buffer.concat(lines))),
    encodeChunk('IEND', Buffer.alloc(0)),
  ])
}

/** Renders one line of pixels: a filter byte (none), then a bit a pixel from the left, 1 for white. */
function renderLine(row: readonly boolean[], scale: number, length: number): Buffer {
  const line = Buffer.alloc(length)
  for (let x = 0; x < row.length * scale; x += 1)
    if (!row[Math.floor(x / scale)]) line[1 + (x >> 3)] = (line[1 + (x >> 3)] ?? 0) | (0x80 >> (x & 7))
  return line
}

function encodeChunk(type: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), data])
  const framed = Buffer.alloc(4 + body.length + 4)
  framed.writeUInt32BE(data.length, 0)
  body.copy(framed, 4)
  framed.writeUInt32BE(crc32(body), 4 + body.length)
  return framed
}
