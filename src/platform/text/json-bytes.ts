import { kampalaIso } from '../time/kampala.ts'

const QUOTE = 0x22
const BACKSLASH = 0x5c
const FIRST_PRINTED = 0x20
const ZERO = 0x30
const HOUR_MS = 3_600_000
const USUAL_BYTES = 128 * 1024
// A character that JSON does not allow in a string takes six bytes: \u001f.
const MAX_BYTES_PER_CHARACTER = 6
// Enough for a time, or a whole number with its sign.
const MAX_BYTES_PER_VALUE = 32
const SHORT_ESCAPES = new Map([
  [QUOTE, '\\"'],
  [BACKSLASH, '\\\\'],
  [0x08, '\\b'],
  [0x09, '\\t'],
  [0x0a, '\\n'],
  [0x0c, '\\f'],
  [0x0d, '\\r'],
])

/** Writes JSON as bytes, byte for byte what PostgreSQL's to_json writes, into one buffer that is used again and again. */
export class JsonBytes {
  private bytes = Buffer.allocUnsafeSlow(USUAL_BYTES)
  private end = 0
  // The hour of the time that was written last, and its text as far as the minutes.
  private hour = Number.NaN
  private hourText = Buffer.alloc(0)

  /** Returns what was written since the last call. The bytes are valid until something is written again. */
  take(): Buffer {
    const taken = this.bytes.subarray(0, this.end)
    this.end = 0
    return taken
  }

  /** Writes bytes that are JSON already. */
  raw(text: Uint8Array): void {
    this.room(text.length)
    this.copy(text)
  }

  /** Writes a string: the UTF-8 text of `source` between these positions. */
  text(source: Uint8Array, from: number, to: number): void {
    this.room(2 + (to - from) * MAX_BYTES_PER_CHARACTER)
    this.byte(QUOTE)
    const { bytes } = this
    for (let at = from; at < to; at += 1) {
      const code = source[at] as number
      if (code < FIRST_PRINTED || code === QUOTE || code === BACKSLASH) this.escaped(code)
      else {
        bytes[this.end] = code
        this.end += 1
      }
    }
    this.byte(QUOTE)
  }

  whole(value: number | bigint): void {
    const digits = String(value)
    this.room(MAX_BYTES_PER_VALUE)
    for (let at = 0; at < digits.length; at += 1) this.byte(digits.charCodeAt(at))
  }

  /** Writes a time (ms since 1970) as `kampalaIso` does. A million times come in order, so the text of the hour is cached. */
  kampalaTime(at: number): void {
    const hour = Math.floor(at / HOUR_MS)
    if (hour !== this.hour) {
      this.hour = hour
      this.hourText = Buffer.from(`"${kampalaIso(new Date(hour * HOUR_MS)).slice(0, -'00:00.000+03:00'.length)}`)
    }
    const ms = Math.floor(at) - hour * HOUR_MS
    this.room(MAX_BYTES_PER_VALUE)
    this.copy(this.hourText)
    this.digits(Math.floor(ms / 60_000), 2)
    this.byte(0x3a)
    this.digits(Math.floor(ms / 1000) % 60, 2)
    this.byte(0x2e)
    this.digits(ms % 1000, 3)
    this.copy(ZONE)
  }

  private escaped(code: number): void {
    const written = SHORT_ESCAPES.get(code) ?? `\\u${code.toString(16).padStart(4, '0')}`
    this.end += this.bytes.write(written, this.end, 'latin1')
  }

  private digits(value: number, count: number): void {
    let rest = value
    for (let at = this.end + count - 1; at >= this.end; at -= 1) {
      this.bytes[at] = ZERO + (rest % 10)
      rest = Math.floor(rest / 10)
    }
    this.end += count
  }

  private byte(code: number): void {
    this.bytes[this.end] = code
    this.end += 1
  }

  private copy(text: Uint8Array): void {
    const { bytes, end } = this
    for (let at = 0; at < text.length; at += 1) bytes[end + at] = text[at] as number
    this.end = end + text.length
  }

  private room(more: number): void {
    if (this.end + more <= this.bytes.length) return
    const larger = Buffer.allocUnsafeSlow(Math.max(this.bytes.length * 2, this.end + more))
    this.bytes.copy(larger, 0, 0, this.end)
    this.bytes = larger
  }
}

const ZONE = Buffer.from('+03:00"')
