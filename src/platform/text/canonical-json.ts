// No larger number is accepted anywhere; an exact 1e308 would be a text of 309 digits.
const WITHOUT_EXPONENT_BELOW = 1e40

/**
 * Writes the canonical text of a value (G72): names sorted by code point at every level, no spaces, non-ASCII raw, integers below
 * 1e40 without exponent, undefined members left out. Webhook bodies and request fingerprints are made of it.
 */
export function canonicalJson(value: unknown, written: LargeTexts = NONE_WRITTEN): string {
  if (typeof value === 'string') return quoted(value)
  if (typeof value === 'number') return canonicalNumber(value)
  if (typeof value === 'bigint') return String(value)
  if (value === undefined) return 'null' // In an array, as JSON.stringify does; undefined members are left out earlier.
  if (typeof value !== 'object' || value === null || value instanceof Date) return JSON.stringify(value)
  if (Array.isArray(value)) return `[${value.map((item) => canonicalJson(item, written)).join(',')}]`
  return canonicalObject(value as Record<string, unknown>, written) // Neither null, an array nor a Date.
}

// Printable ASCII but quote and backslash. This test is faster than JSON.stringify, which would leave such a text as it is.
const UNESCAPED = /^[ !#-[\]-~]*$/

const quoted = (text: string): string => (UNESCAPED.test(text) ? `"${text}"` : JSON.stringify(text))

const canonicalObject = (object: Record<string, unknown>, written: LargeTexts): string =>
  written.get(object) ?? closed(appendMembers('', { object, names: sortByCodePoint(Object.keys(object)), written }))

type Members = { object: Record<string, unknown>; names: readonly string[]; written: LargeTexts }

function appendMembers(before: string, { object, names, written }: Members): string {
  let text = before
  for (const name of names) {
    const member = object[name]
    if (member === undefined) continue
    text += `${text === '' ? '{' : ','}${quoted(name)}:${canonicalJson(member, written)}`
  }
  return text
}

const closed = (text: string): string => (text === '' ? '{}' : `${text}}`)

/** The canonical texts of large objects. */
type LargeTexts = ReadonlyMap<object, string>
const NONE_WRITTEN: LargeTexts = new Map()
const MAX_NAMES_WRITTEN_AT_ONCE = 1000
const NAMES_PER_STEP = 4000

/** Writes large objects ahead, some thousand names a step, so that canonicalJson only has to put their texts together. */
export function* writeLargeInSteps(
  value: unknown,
  written = new Map<object, string>(),
): Generator<void, LargeTexts, void> {
  if (typeof value !== 'object' || value === null) return written
  for (const inside of Object.values(value)) if (typeof inside === 'object') yield* writeLargeInSteps(inside, written)
  const names = Array.isArray(value) ? [] : Object.keys(value)
  if (names.length > MAX_NAMES_WRITTEN_AT_ONCE)
    written.set(
      value,
      yield* writeObjectInSteps(value as Record<string, unknown>, yield* sortNamesInSteps(names), written),
    )
  return written
}

function* writeObjectInSteps(
  object: Record<string, unknown>,
  sorted: readonly string[],
  written: LargeTexts,
): Generator<void, string, void> {
  let text = ''
  for (let from = 0; from < sorted.length; from += NAMES_PER_STEP) {
    yield
    text = appendMembers(text, { object, names: sorted.slice(from, from + NAMES_PER_STEP), written })
  }
  return closed(text)
}

function* sortNamesInSteps(names: string[]): Generator<void, string[], void> {
  let runs: string[][] = []
  for (let from = 0; from < names.length; from += NAMES_PER_STEP) {
    yield
    runs.push(sortByCodePoint(names.slice(from, from + NAMES_PER_STEP)))
  }
  while (runs.length > 1) {
    const merged: string[][] = []
    for (let at = 0; at < runs.length; at += 2) {
      yield
      merged.push(mergeNames(runs[at] as string[], runs[at + 1] ?? []))
    }
    runs = merged
  }
  return runs[0] ?? []
}

/** Merges two sorted lists of names. */
function mergeNames(left: readonly string[], right: readonly string[]): string[] {
  const merged: string[] = []
  let [i, j] = [0, 0]
  while (i < left.length && j < right.length)
    merged.push((compareCodePoints(left[i] as string, right[j] as string) <= 0 ? left[i++] : right[j++]) as string)
  return merged.concat(left.slice(i), right.slice(j))
}

function canonicalNumber(value: number): string {
  if (Number.isSafeInteger(value)) return String(value) // Also turns -0 into 0.
  if (Number.isInteger(value) && Math.abs(value) < WITHOUT_EXPONENT_BELOW) return String(BigInt(value))
  return JSON.stringify(value)
}

// Code point order differs from the order of UTF-16 units only where a text holds one of these.
const ABOVE_SURROGATES = /[\ud800-\uffff]/

export function sortByCodePoint(names: string[]): string[] {
  if (names.some(isAboveSurrogates)) return names.sort(compareCodePoints)
  return names.length > FEW ? names.sort() : sortFew(names)
}

const isAboveSurrogates = (name: string) => ABOVE_SURROGATES.test(name)

// Array.sort copies the list first, which takes longer than sorting this few in place.
const FEW = 12

function sortFew(names: string[]): string[] {
  for (let at = 1; at < names.length; at++) {
    const name = names[at] as string // `at` is below the length.
    let to = at
    for (; to > 0 && (names[to - 1] as string) > name; to--) names[to] = names[to - 1] as string
    names[to] = name
  }
  return names
}

// The common beginning of two names is skipped in pieces of this length.
const COMPARED_AT_ONCE = 64

function compareCodePoints(a: string, b: string): number {
  const shared = Math.min(a.length, b.length)
  let at = 0
  while (at + COMPARED_AT_ONCE <= shared && a.slice(at, at + COMPARED_AT_ONCE) === b.slice(at, at + COMPARED_AT_ONCE))
    at += COMPARED_AT_ONCE
  for (; at < shared; at++) {
    const [unitA, unitB] = [a.charCodeAt(at), b.charCodeAt(at)]
    if (unitA !== unitB) return rank(unitA) - rank(unitB)
  }
  return a.length - b.length
}

// Surrogates stand for code points beyond U+FFFF, so they rank behind every unit that stands for itself.
function rank(unit: number): number {
  return unit >= 0xd800 && unit <= 0xdfff ? unit + 0x10000 : unit
}
