import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type Socket } from 'node:net'
import test, { type TestContext } from 'node:test'
import { createPoster } from './attempt.ts'

const BODY = '{"id":"evt_1"}'
const OK = 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok'

/** Posts twice over one connection to a server that answers in these pieces, and returns the results. */
async function answersTo(t: TestContext, pieces: readonly string[]) {
  const sockets: Socket[] = []
  const server = createServer(async (socket) => {
    sockets.push(socket.setNoDelay(true))
    let text = ''
    for await (const bytes of socket) {
      text += bytes
      if (!text.endsWith(BODY)) continue
      text = ''
      for (const piece of pieces) {
        socket.write(piece)
        // Long enough for each piece to be read separately.
        await new Promise((resolve) => setTimeout(resolve, 20))
      }
    }
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as { port: number }
  const poster = createPoster({ ownHosts: [], allowPrivate: [`127.0.0.1:${port}`], keepBody: true })
  t.after(async () => {
    await poster.close()
    server.close()
  })
  const request = { url: `http://127.0.0.1:${port}/`, body: Buffer.from(BODY), headers: {}, keepAlive: true }
  const heard = [await poster.post(request), await poster.post(request)]
  return { heard: heard.map(({ elapsedMs: _, ...outcome }) => outcome), connections: sockets.length }
}

const CONTINUE = 'HTTP/1.1 100 Continue\r\n\r\n'
const CONTINUED: [string, string[]][] = [
  ['in one piece with it', [CONTINUE + OK]],
  ['by itself', [CONTINUE, OK]],
  ['twice', [CONTINUE + CONTINUE + OK]],
  ['twice, each by itself', [CONTINUE, CONTINUE, OK]],
  ['without a reason, with a header', ['HTTP/1.1 100\r\nX-A: b\r\n\r\n', OK]],
  ['cut in its digits', ['HTTP/1.1 1', `00 Continue\r\n\r\n${OK}`]],
  ['before another interim answer', [`${CONTINUE}HTTP/1.1 103 Early Hints\r\n\r\n${OK}`]],
]

for (const [name, pieces] of CONTINUED)
  test(`C22: an answer after 100 Continue (${name}) is the answer`, async (t) => {
    const answered = { kind: 'answered', status: 200, body: Buffer.from('ok') }
    assert.deepEqual(await answersTo(t, pieces), { heard: [answered, answered], connections: 1 })
  })

test('C22: an answer that is not HTTP and ends at once is reported as before', async (t) => {
  for (const text of ['hello', 'x', 'HTTP/2 100']) {
    const { heard } = await answersTo(t, [text])
    assert.deepEqual(heard[0], { kind: 'failed', error: 'protocol', status: null }, text)
  }
})

test('C22: a body that looks like 100 Continue is not touched', async (t) => {
  const body = `x${CONTINUE.repeat(40)}`
  const head = `HTTP/1.1 200 OK\r\nContent-Length: ${body.length}\r\n\r\nx`
  const answered = { kind: 'answered', status: 200, body: Buffer.from(body) }
  assert.deepEqual((await answersTo(t, [head, body.slice(1)])).heard, [answered, answered])
})
