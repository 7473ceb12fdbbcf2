import { isUtf8 } from 'node:buffer'
import { invalidRequest } from '../../../../platform/refusal.ts'
import { findFileKind } from '../csv-encoding.ts'

// Enough to see that every second byte is zero.
const LOOKED_AT_BYTES = 1024
const SAVE_AS = 'save the list as .xlsx or as CSV, and send that'

/**
 * Decodes a list as spreadsheets save it into UTF-8: from UTF-16, from Windows-1252 where it is no UTF-8, or from UTF-8. Null for an Excel
 * workbook (.xlsx). Throws `invalid request: ...` for what is no list.
 */
export function decodeText(bytes: Buffer): Buffer | null {
  switch (findFileKind(bytes)) {
    case 'zip':
      return null
    case 'utf-16le':
      return decodeAs('utf-16le', bytes)
    case 'utf-16be':
      return decodeAs('utf-16be', bytes)
    case 'old workbook':
      throw invalidRequest(`this is an Excel workbook of the old kind (.xls), or one with a password; ${SAVE_AS}`)
    case 'pdf':
      throw invalidRequest(`this is a PDF, whose lines cannot be read; ${SAVE_AS}`)
    case 'picture':
      throw invalidRequest(`this is a picture, whose lines cannot be read; ${SAVE_AS}`)
    case 'text':
      return decodeUnmarked(bytes)
  }
}

/** Decodes a text that does not say how it is written. */
function decodeUnmarked(bytes: Buffer): Buffer {
  const zeros = countZeros(bytes.subarray(0, LOOKED_AT_BYTES))
  const half = Math.min(bytes.length, LOOKED_AT_BYTES) / 2
  if (zeros.odd > half / 2 && zeros.even === 0) return decodeAs('utf-16le', bytes)
  if (zeros.even > half / 2 && zeros.odd === 0) return decodeAs('utf-16be', bytes)
  return isUtf8(bytes) ? bytes : decodeAs('windows-1252', bytes)
}

function countZeros(bytes: Buffer): { even: number; odd: number } {
  const zeros = { even: 0, odd: 0 }
  for (const [at, byte] of bytes.entries()) if (byte === 0) zeros[at % 2 === 0 ? 'even' : 'odd'] += 1
  return zeros
}

/** Bytes that the encoding does not have become replacement characters. */
const decodeAs = (encoding: 'utf-16le' | 'utf-16be' | 'windows-1252', bytes: Buffer): Buffer =>
  Buffer.from(new TextDecoder(encoding).decode(bytes))
