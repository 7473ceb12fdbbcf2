import assert from 'node:assert/strict'
import test from 'node:test'
import { parseLadder } from './follow-settings.ts'
import { WrongSettings } from './setting-readers.ts'

test('a ladder is read as first ages, periods with their ends, and a last one without an end', () => {
  assert.deepEqual(parseLadder('10,60 ; 600:120; 86400'), {
    firstMs: [10_000, 60_000],
    periods: [
      { untilAge: 600_000, everyMs: 120_000 },
      { untilAge: Number.POSITIVE_INFINITY, everyMs: 86_400_000 },
    ],
  })
})

for (const [text, why] of [
  ['', /must be ages in seconds/],
  ['5,10', /must be ages in seconds/],
  ['5,x;60', /must be ages in seconds/],
  ['5;60:10', /must be ages in seconds/],
  ['5;60;70', /must be ages in seconds/],
  ['5,7;60', /each 5 to 86400 later/],
  ['10,10;60', /each 5 to 86400 later/],
  ['4;60', /each 5 to 86400 later/],
  [`${Array.from({ length: 51 }, (_, nth) => 5 * (nth + 1)).join()};60`, /at most 50 first ages/],
  ['5,300;300:60;600', /end later than what stands before/],
  ['5;900:60;800:60;600', /end later than what stands before/],
  ['5;900:1;600', /must ask every 5 to 86400 seconds/],
  ['5;86401', /must ask every 5 to 86400 seconds/],
  ['5,86406;60', /each 5 to 86400 later/],
] as const)
  test(`the ladder "${text.slice(0, 30)}" is refused`, () => {
    assert.throws(
      () => parseLadder(text),
      (error) => error instanceof WrongSettings && why.test(error.message),
    )
  })
