/** A place in the WAL of a server, as bytes from its beginning. `0/16B3748` in the words of PostgreSQL. */
export type Lsn = bigint

/** Parses `0/16B3748`. */
export function parseLsn(text: string): Lsn {
  const [high = '0', low = '0'] = text.split('/')
  return (BigInt(`0x${high}`) << 32n) | BigInt(`0x${low}`)
}

export const formatLsn = (lsn: Lsn): string => `${hex(lsn >> 32n)}/${hex(lsn & 0xffff_ffffn)}`

/** Where the segment begins in which this place is. */
export const segmentStart = (lsn: Lsn, segmentBytes: number): Lsn => lsn - (lsn % BigInt(segmentBytes))

/** The name of the segment in which this place is: timeline, and number in two parts. */
export function segmentName(timeline: number, lsn: Lsn, segmentBytes: number): string {
  const number = lsn / BigInt(segmentBytes)
  const inOnePart = 0x1_0000_0000n / BigInt(segmentBytes)
  return [BigInt(timeline), number / inOnePart, number % inOnePart].map((part) => hex(part).padStart(8, '0')).join('')
}

/** Parses the name of a segment; null for any other name. */
export function parseSegmentName(name: string, segmentBytes: number): { timeline: number; start: Lsn } | null {
  const [, timeline, high, low] = /^([0-9A-F]{8})([0-9A-F]{8})([0-9A-F]{8})$/.exec(name) ?? []
  if (timeline === undefined) return null
  const number = BigInt(`0x${high}`) * (0x1_0000_0000n / BigInt(segmentBytes)) + BigInt(`0x${low}`)
  return { timeline: Number.parseInt(timeline, 16), start: number * BigInt(segmentBytes) }
}

const UNITS: Readonly<Record<string, number>> = { B: 1, kB: 1024, MB: 1024 ** 2, GB: 1024 ** 3 }

/** Parses a size as PostgreSQL shows it: `16MB`. */
export function parseSize(text: string): number {
  const [, count, unit] = /^([0-9]+)(B|kB|MB|GB)$/.exec(text) ?? []
  return Number(count) * (UNITS[unit ?? ''] ?? Number.NaN)
}

const hex = (value: bigint) => value.toString(16).toUpperCase()
