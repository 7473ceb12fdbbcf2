import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { lostCitations, type Papers, readPapers } from './papers.ts'
import { lineOf, type Source, sourcesOf } from './sources.ts'

const ROOT = join(import.meta.dirname, '..', '..', '..')
const PAPERS = readPapers()

/** Each piece of prose with its place. */
type Prose = { path: string; line: number; text: string }

const CODE_FOLDERS = [
  ...sourcesOf('src', '.ts', '.tsx'),
  ...sourcesOf('test', '.ts', '.tsx'),
  ...sourcesOf('bench', '.ts'),
  ...sourcesOf('emulator', '.ts'),
  ...sourcesOf('scripts', '.mjs'),
].filter(({ path }) => !path.startsWith('test/tidy/'))

const TEST_NAME = /\b(?:test|it|describe)\(\s*(['"`])(.*?)\1/g

/** The prose of a file: whole comments, because a citation may run over the end of a line, and names of tests. */
function proseOf(source: Source): Prose[] {
  const blocks = [...source.comments.matchAll(/\S[^\n]*(?:\n[^\n]*\S[^\n]*)*/g)].map((match) => ({
    text: match[0].replace(/\n\s*(?:\/\/|\*)?\s*/g, ' '),
    at: match.index,
  }))
  const names = [...source.text.matchAll(TEST_NAME)].map((match) => ({
    text: match[2] as string,
    at: match.index,
  }))
  return [...blocks, ...names].map(({ text, at }) => ({
    path: source.path,
    line: lineOf(source.text, at),
    text,
  }))
}

/** Documents without their examples and links, line by line. */
function documents(): Prose[] {
  const paths = ['.', 'docs', 'docs/decisions', 'docs/design'].flatMap((folder) =>
    readdirSync(join(ROOT, folder))
      .filter((name) => name.endsWith('.md'))
      .map((name) => join(folder, name)),
  )
  return paths.flatMap((path) => {
    const text = readFileSync(join(ROOT, path), 'utf8').replace(
      /```[\s\S]*?```|`[^`\n]*`|\[[^\]\n]*\]\([^)\n]*\)/g,
      (code) => code.replace(/[^\n]/g, ' '),
    )
    return text.split('\n').map((line, at) => ({ path, line: at + 1, text: line }))
  })
}

const migrations = () =>
  sourcesOf('migrations', '.sql').flatMap(({ path, text }) =>
    [...text.matchAll(/--(.*)$/gm)].map((match) => ({
      path,
      line: lineOf(text, match.index),
      text: match[1] as string,
    })),
  )

test('every citation in code, tests and documents leads to a place in docs/design or an invariant of verify', () => {
  const prose = [...CODE_FOLDERS.flatMap(proseOf), ...documents(), ...migrations()]
  const lostIn = (papers: Papers) =>
    prose.flatMap(({ path, line, text }) =>
      lostCitations(text, papers).map((citation) => `${path}:${line} ${citation}`),
    )
  assert.deepEqual(lostIn(PAPERS), [])
  const blank = new Map([...PAPERS.places.keys()].map((paper) => [paper, new Set<string>()]))
  assert.ok(lostIn({ ...PAPERS, places: blank }).length > 200, 'the citations were found')
})

test('a citation that leads nowhere is found, however it is written', () => {
  const planted = {
    'as it is said there (contract.md 3 z)': ['contract 3 z'],
    'in the order of contract.md 3 h and 3 y': ['contract 3 y'],
    'two at most (reliability.md section 99)': ['reliability 99'],
    'rails.md 1.4, rule 60': ['rails 1.4 60'],
    'contract.md 6.3 steps 1 and 99': ['contract 6.3 99'],
    'as the spec 4.99 says': ['spec 4.99'],
    'kept for ever (ledger.md, closing a month)': ['ledger.md without a place in it'],
    'as measured (dependencies.md 2)': ['dependencies.md 2'],
    'as measured (dependencies.md, warning 2)': ['dependencies.md without a place in it'],
    'never more than one (G999), nor F998a': ['G999', 'F998a'],
    'kept under no key (G12, 3 y)': ['contract 3 y'],
  }
  for (const [text, lost] of Object.entries(planted)) assert.deepEqual(lostCitations(text, PAPERS), lost, text)
  for (const text of ['contract.md 3 h, 3 i', 'spec 1.3; G53', 'rails.md 1.4, rule 6', 'L1 to L7, CH6, an A4 page'])
    assert.deepEqual(lostCitations(text, PAPERS), [], text)
})
