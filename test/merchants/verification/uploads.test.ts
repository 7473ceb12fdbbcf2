import assert from 'node:assert/strict'
import { setTimeout as pass, setImmediate } from 'node:timers/promises'
import { eventually } from '../../helpers/service/live-service.ts'
import { opened } from '../../helpers/service/opened.ts'
import { longTest, test } from '../../helpers/service/parts.ts'
import { startService } from '../../helpers/service/test-service.ts'
import { formOf } from '../../helpers/web/browser.ts'
import { type Planted, signedInAs } from '../../helpers/web/dashboard.ts'
import { sendFiles } from '../../helpers/web/sending-files.ts'
import { type SlowUpload, slowUpload } from '../../helpers/web/slow-upload.ts'
import { pdf } from '../../helpers/web/verification.ts'

const service = opened(() => startService({ env: { TRUSTED_PROXIES: '1' } }))
const DOCUMENTS = '/dashboard/verification/documents'
const A_SECOND = 1000
const KIB = 1024
const FEW = 4
const FOR_UNCONFIRMED = 10
const OF_ONE = 3
// It also waits for the disk, which on a crowded machine takes many turns.
const TURNS = 1000

const owner = async () => signedInAs(service, await service.merchant())

/** Somebody who has just signed up, with an address that may be anybody's. */
async function unconfirmed(): Promise<Planted> {
  const person = await owner()
  await service.rows('update people set confirmed_at = null where id = $1', [person.personId])
  return person
}

const fieldsOf = async (person: Planted) => ({
  ...formOf(await person.get(DOCUMENTS), '/sign-out').fields,
  kind: 'identity',
})
const upload = async (person: Planted) =>
  sendFiles(person, DOCUMENTS, { fields: await fieldsOf(person), files: [{ name: 'a.pdf', bytes: pdf() }] })

const slowly = async (person: Planted, more: { address?: string; fileBytes?: number } = {}) =>
  slowUpload(service.url, person, { path: DOCUMENTS, fields: await fieldsOf(person), ...more })

/** Uploads that have begun and send nothing more, from as many addresses. */
async function standingStill(people: readonly Planted[]): Promise<SlowUpload[]> {
  const sent = await Promise.all(people.map((person, nth) => slowly(person, { address: `198.51.100.${nth}` })))
  await Promise.all(sent.map((slowUpload) => slowUpload.send(KIB)))
  return sent
}

const statusOf = async ({ answered }: SlowUpload) => Number((await answered).split(' ')[1])
const many = (count: number, make: () => Promise<Planted>) => Promise.all(Array.from({ length: count }, make))
const hangUp = (slow: readonly SlowUpload[]) => {
  for (const one of slow) one.hangUp()
}

test('slow senders of unconfirmed accounts hold up nobody, confirmed or not', async () => {
  const slow = await standingStill(await many(FEW, unconfirmed))
  assert.equal((await upload(await owner())).status, 303)
  assert.equal((await upload(await unconfirmed())).status, 303)
  hangUp(slow)
})

test('a full share of unconfirmed senders is told to wait, holds up no confirmed one, and its slow ones give way', async () => {
  const slow = await standingStill(await many(FOR_UNCONFIRMED, unconfirmed))
  const late = await unconfirmed()
  await eventually('every place of theirs is taken', async () => (await upload(late)).status === 429)
  const refused = await upload(late)
  assert.match(refused.text, /Other files are being received, so nothing was done/)
  assert.equal(refused.headers.get('retry-after'), '10')
  assert.equal((await upload(await owner())).status, 303)
  service.pass(11 * A_SECOND)
  assert.equal((await upload(late)).status, 303)
  const [gone] = await Promise.race(slow.map(async (slowUpload) => [await slowUpload.answered]))
  assert.match(gone ?? '', /^HTTP\/1\.1 429 .*yours came so slowly that it gave way/s)
  hangUp(slow)
})

test('one person sends three files at once, and one that stands still gives way to the next', async () => {
  const person = await owner()
  const slow = await standingStill(Array.from({ length: OF_ONE }, () => person))
  await eventually('all of them are on their way', async () => (await upload(person)).status === 429)
  service.pass(11 * A_SECOND)
  assert.equal((await upload(person)).status, 303)
  hangUp(slow)
})

test('a file comes through at 20 KB a second, with a pause of half a minute, however long it takes in all', async () => {
  const person = await owner()
  const slow = await slowly(person, { fileBytes: 2_000_000 })
  for (let sent = 0; sent < 1_600_000; sent += 200_000) {
    await slow.send(200_000)
    assert.equal(await receivedSoFar(person), 0, 'it is no document before it is whole')
    // What has left lies in the kernel: the service, in this process, has read it some turns later.
    for (let turn = 0; turn < TURNS; turn += 1) await setImmediate()
    service.pass(sent === 800_000 ? 40 * A_SECOND : 10 * A_SECOND)
  }
  await slow.sendRest()
  assert.equal(await statusOf(slow), 303)
  assert.equal(await receivedSoFar(person), 1)
})

const receivedSoFar = async ({ merchantId }: Planted) => {
  const [row] = await service.rows<{ n: number }>(
    'select count(*)::int as n from verification_documents where merchant_id = $1',
    [merchantId],
  )
  return row?.n
}

test('who sends nothing for a minute is told so on a page, and nothing is kept', async () => {
  const person = await owner()
  const [slow] = (await standingStill([person])) as [SlowUpload]
  let told = ''
  // It may not have begun when the clock moves for the first time.
  await eventually('it is cut', async () => {
    service.pass(61 * A_SECOND)
    told = await Promise.race([slow.answered, pass(500, '')])
    return told !== ''
  })
  assert.match(told, /^HTTP\/1\.1 400 .*The file did not arrive: the connection stood still for a minute/s)
  assert.equal(await receivedSoFar(person), 0)
})

test('who was signed out while the file came has sent nothing', async () => {
  const person = await owner()
  const [slow] = (await standingStill([person])) as [SlowUpload]
  await pass(50)
  await service.rows('update sessions set ends_at = $2 where id = $1', [person.sessionId, service.clock.now()])
  await slow.sendRest()
  assert.match(await slow.answered, /^HTTP\/1\.1 303 .*location: \/dashboard\/sign-in/is)
  assert.equal(await receivedSoFar(person), 0)
})

test('what is longer than its form takes is refused while it comes', async () => {
  const slow = await slowly(await owner(), { fileBytes: 16_000_000 })
  await eventually('it is refused', async () => {
    await slow.send(64 * KIB)
    return (await Promise.race([slow.answered, pass(10, '')])).startsWith('HTTP/1.1 413')
  })
})

// Longer than the time in which any other request has to come: the server's own timer runs with the machine and not with the test.
longTest('a file may come for longer than half a minute of real time', async () => {
  const slow = await slowly(await owner(), { fileBytes: 1_000_000 })
  for (let second = 0; second < 36; second += 1) {
    await slow.send(20_000)
    await pass(A_SECOND)
  }
  await slow.sendRest()
  assert.equal(await statusOf(slow), 303)
})
