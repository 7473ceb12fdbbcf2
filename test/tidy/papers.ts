import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { INVARIANTS } from '../../src/operations/verify/invariants/invariants.ts'

const FOLDER = join(import.meta.dirname, '..', '..', '..', 'docs', 'design')

/** What can be cited: `4.2`, `3 h`, `1.4 6` of each paper, and the codes of all papers and of `verify` together. */
export type Papers = { places: ReadonlyMap<string, ReadonlySet<string>>; codes: ReadonlySet<string> }

/** Reads headings, first columns and numbered lists of every paper. */
export function readPapers(): Papers {
  const places = new Map<string, Set<string>>()
  // FZ1 compares the directory with the cells, so it is not among the queries of one cell.
  const codes = new Set(['FZ1', ...INVARIANTS.map(({ id }) => id)])
  for (const file of readdirSync(FOLDER).filter((name) => name !== 'README.md')) {
    const paper = readPaper(readFileSync(join(FOLDER, file), 'utf8'))
    places.set(file.replace('.md', ''), paper.places)
    for (const code of paper.codes) codes.add(code)
  }
  return { places, codes }
}

function readPaper(text: string): { places: Set<string>; codes: string[] } {
  const places = new Set<string>()
  const codes: string[] = []
  let section = ''
  for (const line of text.split('\n')) {
    const heading = /^#{2,4} (\d+(?:\.\d+)*[a-z]?)\b/.exec(line)?.[1]
    if (heading !== undefined) section = heading
    places.add(section)
    const row = /^\| ([A-Z]{1,3}\d+[a-z]?|[a-z]) \|/.exec(line)?.[1]
    if (row !== undefined && row.length > 1) codes.push(row)
    else if (row !== undefined) places.add(`${section} ${row}`)
    const item = /^(\d+)\. /.exec(line)?.[1]
    // A numbered sentence is cited as a rule or step of its section, in the spec as `1.3`.
    if (item !== undefined) places.add(`${section} ${item}`).add(`${section}.${item}`)
  }
  return { places, codes }
}

// Terms that look like codes and are none.
const NO_CODES = ['A4', 'C0', 'V8']
// `6.2`, `2.1a`, and `3 h` of the contract.
const NUMBER = String.raw`\d+(?:\.\d+)*[a-z]?(?: [a-z](?![\w']))?`
const MORE = String.raw`(?:(?:,|;|\sand)\s${NUMBER})*`
const RULE = String.raw`,?\s(?:rule|step)s?\s(\d+)(?:\sand\s(\d+))?`
const CITED = new RegExp(String.raw`(?<![\w/[-])([a-z]+)(\.md)?,?\s(?:section\s)?(${NUMBER}${MORE})(?:${RULE})?`, 'g')
const NOWHERE_IN = /(?<![\w/[-])([a-z]+)\.md\b(?!,?\s(?:section\s)?(?:\d|[A-Z]{1,3}\d))/g
const LETTER = /(?<=[(,;]\s?)3 ([a-z])(?=[),;:.])/g
const CODE = /(?<![\w-])([A-Z]{1,3})(\d{1,3}[a-z]?)(?![\w-]|\.\d)/g

/** Every citation in this text that does not resolve. */
export const lostCitations = (text: string, papers: Papers): string[] => [
  ...lostPlaces(text, papers),
  ...[...text.matchAll(NOWHERE_IN)].map(([paper]) => `${paper} without a place in it`),
  ...[...text.matchAll(LETTER)]
    .filter(([place]) => !papers.places.get('contract')?.has(place))
    .map(([place]) => `contract ${place}`),
  ...lostCodes(text, papers),
]

function lostPlaces(text: string, { places }: Papers): string[] {
  return [...text.matchAll(CITED)].flatMap(([whole, name = '', md, listed = '', ...rules]) => {
    const paper = places.get(name)
    if (paper === undefined) return md === undefined ? [] : [whole]
    const numbers = [...listed.matchAll(new RegExp(NUMBER, 'g'))].map(([number]) =>
      // Only in one section does a letter after a number belong to the number; elsewhere it begins the next word.
      name === 'contract' && number.startsWith('3 ') ? number : number.replace(/ [a-z]$/, ''),
    )
    const steps = rules.slice(0, 2).filter((rule) => rule !== undefined)
    const cited = [...numbers, ...steps.map((step) => `${numbers.at(-1)} ${step}`)]
    return cited.filter((place) => !paper.has(place)).map((place) => `${name} ${place}`)
  })
}

function lostCodes(text: string, { codes }: Papers): string[] {
  const prefixes = new Set([...codes].map((code) => code.replace(/\d.*/, '')))
  return [...text.matchAll(CODE)]
    .filter(([code, prefix = '']) => prefixes.has(prefix) && !codes.has(code) && !NO_CODES.includes(code))
    .map(([code]) => code)
}
