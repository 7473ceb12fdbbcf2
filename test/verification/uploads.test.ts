import assert from 'node:assert/strict'
import { type ClientRequest, request } from 'node:http'
import { test } from 'node:test'
import { formOf } from '../helpers/browser.ts'
import { type Planted, signedInAs } from '../helpers/dashboard.ts'
import { eventually } from '../helpers/live-service.ts'
import { opened } from '../helpers/opened.ts'
import { sendFiles } from '../helpers/sending-files.ts'
import { startService } from '../helpers/test-service.ts'
import { pdf } from '../helpers/verification.ts'

const service = opened(() => startService())
const DOCUMENTS = '/dashboard/verification/documents'
const MOST_AT_ONCE = 4

const owner = async () => signedInAs(service, await service.merchant())
const fieldsOf = async (person: Planted) => ({
  ...formOf(await person.get(DOCUMENTS), '/sign-out').fields,
  kind: 'identity',
})
const upload = async (person: Planted) =>
  sendFiles(person, DOCUMENTS, { fields: await fieldsOf(person), files: [{ name: 'a.pdf', bytes: pdf() }] })

/**
 * A phone on a slow line: it has begun to send a file and goes on for a long time. A probe of the test may be in its place
 * for a moment; refused, it begins again.
 */
function slowUpload(person: Planted): { hangUp: () => void } {
  let over = false
  let sending: ClientRequest
  const begin = () => {
    if (over) return
    sending = request(`${service.url}${DOCUMENTS}`, {
      method: 'POST',
      headers: {
        cookie: person
          .cookies()
          .map(({ name, value }) => `${name}=${value}`)
          .join('; '),
        'sec-fetch-site': 'same-origin',
        'content-type': 'multipart/form-data; boundary=x',
        'content-length': 1_000_000,
      },
    })
    sending.on('response', () => sending.destroy())
    sending.on('error', () => {
      // It is cut off in the end.
    })
    sending.on('close', begin)
    sending.write('--x\r\nContent-Disposition: form-data; name="file"; filename="a.pdf"\r\n\r\n%PDF-1.4')
  }
  begin()
  return {
    hangUp: () => {
      over = true
      sending.destroy()
    },
  }
}

test('one person sends one file at a time and a process receives four; who waits is told, and places come free', async (t) => {
  const people = await Promise.all(Array.from({ length: MOST_AT_ONCE + 1 }, owner))
  const [first, ...others] = people as [Planted, ...Planted[]]
  const slow = [slowUpload(first)]
  // A failure must not leave uploads that begin again for ever.
  t.after(() => {
    for (const one of slow) one.hangUp()
  })
  await eventually('a place is taken', async () => (await upload(first)).status === 429)
  assert.equal((await upload(others[0] as Planted)).status, 303, 'others are not held up')
  slow.push(...others.slice(0, MOST_AT_ONCE - 1).map(slowUpload))
  const last = others.at(-1) as Planted
  await eventually('every place is taken', async () => (await upload(last)).status === 429)
  const refused = await upload(last)
  assert.match(refused.text, /Other files are being received, so nothing was done/)
  assert.equal(refused.headers.get('retry-after'), '5')
  for (const one of slow) one.hangUp()
  await eventually('places are free again', async () => (await upload(last)).status === 303)
  await eventually('the first one may send again', async () => (await upload(first)).status === 303)
})
