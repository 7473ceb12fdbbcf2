import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { mkdtempSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import test, { type TestContext } from 'node:test'
import { createSealed, readSealed } from './sealed-file.ts'

const KEY = randomBytes(32)
const DATA = [Buffer.from('one'), Buffer.alloc(100_000, 7), randomBytes(50_000)]

function pathFor(t: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), 'sealed-'))
  t.after(() => rmSync(folder, { recursive: true }))
  return join(folder, 'file')
}

async function write(path: string, whole = true): Promise<void> {
  const writer = await createSealed(path, KEY)
  for (const [nth, data] of DATA.entries()) await writer.write(data, { mark: BigInt(nth), at: 1_700_000_000_000 + nth })
  assert.equal(writer.bytes, readFileSync(path).length)
  await (whole ? writer.end() : writer.abandon())
}

async function read(path: string, options: { key?: Buffer; unfinished?: boolean } = {}): Promise<Buffer[]> {
  const frames: Buffer[] = []
  for await (const { data, last } of readSealed(path, options.key ?? KEY, options)) if (!last) frames.push(data)
  return frames
}

test('what was sealed is read as it was, with its place and time', async (t) => {
  const path = pathFor(t)
  await write(path)
  assert.deepEqual(await read(path), DATA)
  const facts = []
  for await (const { mark, at, last } of readSealed(path, KEY)) facts.push([mark, at, last])
  assert.deepEqual(facts[2], [2n, 1_700_000_000_002, false])
  assert.deepEqual(facts[3], [0n, 0, true])
  assert.equal(readFileSync(path).includes('one'), false)
})

test('another key, a turned bit anywhere and a missing end are told by the name of the file', async (t) => {
  const path = pathFor(t)
  await write(path)
  await assert.rejects(read(path, { key: randomBytes(32) }), new RegExp(`${path} was sealed with another BACKUP_KEY`))
  const whole = readFileSync(path)
  for (let at = 0; at < whole.length; at += 997) {
    const spoiled = Buffer.from(whole)
    spoiled[at] = (spoiled[at] as number) ^ 0x10
    writeFileSync(path, spoiled)
    await assert.rejects(read(path), new RegExp(`${path} (?:is damaged|was sealed)`), `byte ${at}`)
  }
  for (const bytes of [10, whole.length - 1, whole.length - 40]) {
    writeFileSync(path, whole)
    truncateSync(path, bytes)
    await assert.rejects(read(path), /is damaged/, `${bytes} bytes`)
  }
  await assert.rejects(read(`${path}-gone`), /cannot be read \(ENOENT\)/)
})

test('an unfinished file ends before the frame that was cut short, and a damaged one is told all the same', async (t) => {
  const path = pathFor(t)
  await write(path, false)
  assert.deepEqual(await read(path, { unfinished: true }), DATA)
  await assert.rejects(read(path), /is damaged/)
  const whole = readFileSync(path)
  truncateSync(path, whole.length - 5)
  assert.deepEqual(await read(path, { unfinished: true }), DATA.slice(0, 2))
  writeFileSync(path, Buffer.concat([whole, Buffer.alloc(5000)]))
  assert.deepEqual(await read(path, { unfinished: true }), DATA)
  const spoiled = Buffer.from(whole)
  spoiled[80] = (spoiled[80] as number) ^ 1
  writeFileSync(path, spoiled)
  await assert.rejects(read(path, { unfinished: true }), /is damaged/)
})
