import assert from 'node:assert/strict'
import test from 'node:test'
import { type Moment, msBetween } from './moment.ts'

const NOON = Date.parse('2026-03-01T12:00:00Z')
const mark = (wallMs: number, ms: number): Moment => ({ at: new Date(NOON + wallMs), ms: 5000 + ms })
const HOUR = 3_600_000

const CASES: [what: string, wallMs: number, monotonicMs: number, between: number][] = [
  ['both clocks went on', 700, 700, 700],
  ['the machine was suspended: only the wall clock went on', HOUR, 20, HOUR],
  ['the wall clock was set back while the process stood still', -HOUR, 26_000, 26_000],
  ['the wall clock stood still', 0, 26_000, 26_000],
  ['the wall clock was set back and nothing else happened', -2000, 3, 3],
]
for (const [what, wallMs, monotonicMs, between] of CASES)
  test(`the time since a mark is what the clock says that says more: ${what}`, () => {
    assert.equal(msBetween(mark(0, 0), mark(wallMs, monotonicMs)), between)
  })
