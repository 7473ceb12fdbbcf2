import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import test from 'node:test'
import { type Emulator, startEmulator } from '../../emulator/emulator.ts'
import type { FaultName, FaultParams } from '../../emulator/faults.ts'
import { opened } from '../helpers/service/opened.ts'
import { type Partner, partnerOf, partyOf } from './partner.ts'

// How the operator calls back (rails.md 6.5, faults 22 to 28): each by its name and by its phone.
const HOUR = 3_600_000

/** Somebody who is called back, and answers with `status`. */
async function openListener() {
  const heard: { method: string; path: string; status: string; amount: string }[] = []
  let status = 200
  const server = createServer(async (request, response) => {
    let text = ''
    for await (const chunk of request) text += chunk
    const { status: told, amount } = JSON.parse(text)
    heard.push({ method: request.method ?? '', path: request.url ?? '', status: told, amount })
    response.writeHead(status).end()
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', () => resolve()))
  return {
    heard,
    url: `http://127.0.0.1:${(server.address() as { port: number }).port}`,
    answer: (next: number) => {
      status = next
    },
    close: async () => {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

const room = opened(async () => {
  const emulator = await startEmulator({ clock: 'virtual', statusCap: null, retries: 'short' })
  const listener = await openListener()
  return {
    emulator,
    listener,
    close: async () => void (await Promise.all([emulator.close(), listener.close()])),
  }
})

/** A payment that succeeds under a fault: what was called back at once, and after `later`. */
async function called(fault: string, params: FaultParams = {}, later = 0) {
  const { emulator, listener } = room
  const partner = partnerOf(emulator)
  listener.heard.length = 0
  const isPhone = /^[0-9]+$/.test(fault)
  if (!isPhone && fault !== '') await emulator.fault(fault as FaultName, { params })
  const reference = await paid(emulator, partner, isPhone ? partyOf('collection', `2567700001${fault}`) : {})
  await emulator.resolve(reference, { status: 'SUCCESSFUL' })
  const atOnce = [...listener.heard]
  if (later > 0) await emulator.advance(later)
  return { reference, atOnce, all: [...listener.heard], partner }
}

async function paid(emulator: Emulator, partner: Partner, changes: Record<string, unknown>): Promise<string> {
  const paying = partner.pay(changes, { headers: { 'x-callback-url': `${room.listener.url}/cb/token` } })
  // Where the answer waits for the clock.
  let isAnswered = false
  void paying.finally(() => {
    isAnswered = true
  })
  while (!isAnswered) {
    await new Promise((resolve) => setImmediate(resolve))
    await emulator.advance(50)
  }
  return (await paying).reference
}

test('an end is told once, with the whole status, and not again when it is resolved again', async () => {
  const { reference, atOnce } = await called('')
  assert.deepEqual(atOnce, [{ method: 'POST', path: '/cb/token', status: 'SUCCESSFUL', amount: '500' }])
  await room.emulator.resolve(reference, { status: 'FAILED' })
  assert.equal(room.listener.heard.length, 1)
})

const CASES: [fault: FaultName, nn: string, params: FaultParams, atOnce: number, later: number, all: number][] = [
  ['noCallback', '22', {}, 0, 24 * HOUR, 0],
  ['lateCallback', '23', { hours: 2 }, 0, 2 * HOUR, 1],
  ['duplicateCallback', '24', { times: 3 }, 3, HOUR, 3],
  ['putCallback', '26', {}, 1, 0, 1],
]
for (const [fault, nn, params, atOnce, later, all] of CASES)
  test(`${fault}: ${atOnce} at once, ${all} in all`, async () => {
    for (const name of [fault, nn]) {
      const heard = await called(name, params, later)
      assert.deepEqual([heard.atOnce.length, heard.all.length], [atOnce, all], name)
      for (const { method } of heard.all) assert.equal(method, fault === 'putCallback' ? 'PUT' : 'POST')
    }
  })

test('duplicates with a gap come one after the other', async () => {
  const { atOnce, all } = await called('duplicateCallback', { times: 4, gapMs: 1000 }, 3000)
  assert.deepEqual([atOnce.length, all.length], [1, 4])
})

test('callbackBeforeAnswer: called before the 202, and again at the end', async () => {
  for (const fault of ['callbackBeforeAnswer', '25']) {
    const { atOnce } = await called(fault)
    assert.deepEqual(
      atOnce.map(({ status }) => status),
      ['SUCCESSFUL', 'SUCCESSFUL'],
    )
  }
})

test('strangerCallback: another token first, then the right one', async () => {
  for (const fault of ['strangerCallback', '27']) {
    const { atOnce } = await called(fault)
    assert.deepEqual(atOnce.map(({ path }) => path).sort(), ['/cb/token', '/cb/xxxxx'])
  }
})

test('lyingCallback: another status or amount than the book', async () => {
  const { emulator } = room
  const lie = await called('lyingCallback', { status: 'FAILED', amount: '9' })
  assert.deepEqual([lie.atOnce[0]?.status, lie.atOnce[0]?.amount], ['FAILED', '9'])
  assert.equal((await lie.partner.ask(lie.reference)).body.status, 'SUCCESSFUL')
  assert.equal((await called('28')).atOnce.length, 1)
  await emulator.callback(lie.reference, { status: 'PENDING', times: 2, method: 'PUT' })
  assert.deepEqual(
    room.listener.heard.slice(-2).map(({ status, method }) => [status, method]),
    [
      ['PENDING', 'PUT'],
      ['PENDING', 'PUT'],
    ],
  )
})

test('what nobody took is called again, every second and at most 20 times', async () => {
  room.listener.answer(500)
  const { all } = await called('', {}, 3000)
  assert.equal(all.length, 4)
  room.listener.answer(200)
  await room.emulator.advance(60_000)
  assert.equal(room.listener.heard.length, 5, 'until it is taken')
  room.listener.answer(500)
  assert.equal((await called('', {}, HOUR)).all.length, 21)
  room.listener.answer(200)
  const sent = room.emulator.callbacks().at(-1)
  assert.deepEqual([sent?.status, sent?.method], [500, 'POST'])
  assert.equal(room.emulator.stats().callbacks, room.emulator.callbacks().length)
})

test('a payment without a callback address is never called back about', async () => {
  const { emulator, listener } = room
  const partner = partnerOf(emulator)
  listener.heard.length = 0
  const { reference } = await partner.pay()
  await emulator.resolve(reference, { status: 'SUCCESSFUL' })
  assert.equal(listener.heard.length, 0)
})
