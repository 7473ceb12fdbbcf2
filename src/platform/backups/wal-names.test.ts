import assert from 'node:assert/strict'
import test from 'node:test'
import { formatLsn, parseLsn, parseSegmentName, parseSize, segmentName, segmentStart } from './wal-names.ts'

const MB = 1024 * 1024

test('places and segments are named as PostgreSQL names them', () => {
  for (const text of ['0/0', '0/16B3748', '1A/FF000028', 'FFFFFFFF/FFFFFFFF'])
    assert.equal(formatLsn(parseLsn(text)), text)
  for (const [timeline, lsn, bytes, name] of [
    [1, '0/1000028', 16 * MB, '000000010000000000000001'],
    [1, '0/FF000000', 16 * MB, '0000000100000000000000FF'],
    [2, '1/0', 16 * MB, '000000020000000100000000'],
    [10, '1A/FFFFFFFF', 64 * MB, '0000000A0000001A0000003F'],
    [1, '3/40000000', 1024 * MB, '000000010000000300000001'],
  ] as const) {
    assert.equal(segmentName(timeline, parseLsn(lsn), bytes), name)
    assert.deepEqual(parseSegmentName(name, bytes), { timeline, start: segmentStart(parseLsn(lsn), bytes) })
  }
  for (const name of ['00000002.history', '000000010000000000000001.partial', 'backup'])
    assert.equal(parseSegmentName(name, 16 * MB), null)
  assert.equal(parseSize('16MB'), 16 * MB)
  assert.equal(parseSize('1GB'), 1024 * MB)
})
