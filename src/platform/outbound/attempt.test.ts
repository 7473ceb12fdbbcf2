import assert from 'node:assert/strict'
import type { Socket } from 'node:net'
import type { TestContext } from 'node:test'
import type { TlsOptions } from 'node:tls'
import { longTest, test } from '../../../test/helpers/service/parts.ts'
import { BODY, closing, type Reply, receiver, told } from '../../../test/helpers/vending/raw-receiver.ts'
import { createPoster, type PostAttempt, type Poster, type PosterOptions } from './attempt.ts'

const NAME = 'receiver.shop.ug'
const OK = 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok'
const LOOPBACK = async () => [{ address: '127.0.0.1', family: 4 as const }]

function posterFor(t: TestContext, options: Partial<PosterOptions> = {}): Poster {
  const poster = createPoster({ ownHosts: [], allowPrivate: [], resolve: LOOPBACK, ...options })
  t.after(() => poster.close())
  return poster
}
function post(poster: Poster, url: string, keepAlive = false): Promise<PostAttempt> {
  const headers = { 'content-type': 'application/json' }
  return poster.post({ url, body: Buffer.from(BODY), headers, keepAlive })
}

async function attemptAt(t: TestContext, reply: Reply) {
  const seen = await receiver(t, reply)
  const poster = posterFor(t, { allowPrivate: [`127.0.0.1:${seen.port}`] })
  const attempted = await post(poster, `http://127.0.0.1:${seen.port}/hook?a=1`, true)
  return { seen, attempted }
}

test('the receiver gets the bytes and headers as given, and nothing asks for compression', async (t) => {
  const { seen, attempted } = await attemptAt(t, OK)
  assert.equal(told(attempted), 'answered 200')
  const [head = '', body] = seen.requests[0]?.split('\r\n\r\n') ?? []
  assert.equal(body, BODY)
  assert.match(head, /^POST \/hook\?a=1 HTTP\/1\.1\r\n/)
  assert.match(head, new RegExp(`host: 127.0.0.1:${seen.port}`, 'i'))
  assert.match(head, /content-type: application\/json/)
  assert.doesNotMatch(head, /accept-encoding|transfer-encoding/i)
})

const headers = (count: number) => Array.from({ length: count }, (_, i) => `X-H${i}: v\r\n`).join('')
const QUICK: [name: string, expected: string, reply: Reply][] = [
  ['204 without a body', 'answered 204', 'HTTP/1.1 204 No Content\r\n\r\n'],
  ['299', 'answered 299', 'HTTP/1.1 299 Fine\r\nContent-Length: 0\r\n\r\n'],
  ['500', 'answered 500', 'HTTP/1.1 500 Oh\r\nContent-Length: 0\r\n\r\n'],
  ['410 with hints', 'answered 410', 'HTTP/1.1 410 Gone\r\nRetry-After: 9\r\nContent-Length: 0\r\n\r\n'],
  ['304 is an answer, no redirect', 'answered 304', 'HTTP/1.1 304 Not Modified\r\n\r\n'],
  ['early hints before the answer', 'answered 200', `HTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\n${OK}`],
  ['HTTP/1.0 closed at the end', 'answered 200', (socket) => socket.end('HTTP/1.0 200 OK\r\n\r\nhello')],
  ['200 headers', 'answered 200', `HTTP/1.1 200 OK\r\n${headers(200)}Content-Length: 0\r\n\r\n`],
  ['10,000 headers', 'protocol', `HTTP/1.1 200 OK\r\n${headers(10_000)}Content-Length: 0\r\n\r\n`],
  ['one header of 1 MB', 'protocol', `HTTP/1.1 200 OK\r\nX: ${'v'.repeat(1_000_000)}\r\n\r\n`],
  ['half a status line', 'reset', (socket) => socket.end('HTTP/1.1 20')],
  ['half the headers', 'reset', (socket) => socket.end('HTTP/1.1 200 OK\r\nContent-Le')],
  ['closed without a word', 'reset', (socket) => socket.end()],
  ['reset', 'reset', (socket) => socket.resetAndDestroy()],
  ['body cut short', 'answered 200', (socket) => socket.end(OK.replace('2\r', '99\r'))],
  ['broken chunks', 'answered 200', 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n'],
  ['gzip that is none', 'answered 200', OK.replace('OK', 'OK\r\nContent-Encoding: gzip')],
  ['another protocol', 'protocol', 'SSH-2.0-OpenSSH_9.2\r\n'],
  ['two lengths', 'protocol', 'HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nxx'],
]

for (const [name, expected, reply] of QUICK) {
  longTest(`receiver answers: ${name}`, async (t) => {
    const { attempted } = await attemptAt(t, reply)
    assert.equal(told(attempted), expected)
    assert.ok(attempted.elapsedMs < 1_500, `took ${attempted.elapsedMs} ms`)
  })
}

const after = (ms: number) => (socket: Socket) => void setTimeout(() => socket.write(OK), ms)
const started = (first: string, more: string, everyMs: number) => (socket: Socket) => {
  socket.write(first)
  const timer = setInterval(() => socket.write(more), everyMs)
  socket.on('close', () => clearInterval(timer))
}
const SLOW: [name: string, expected: string, atMs: number, reply: Reply][] = [
  // A fifth of a second on both sides of the limit, so that a busy machine cannot fail the test.
  ['2xx after 4.8 s', 'answered 200', 4_800, after(4_800)],
  ['2xx after 5.2 s', 'timeout', 5_000, after(5_200)],
  ['no answer ever', 'timeout', 5_000, () => {}],
  ['one byte a second', 'timeout', 5_000, started('HTTP/1.1 200 ', 'a', 1_000)],
  ['one header at a time', 'timeout', 5_000, started('HTTP/1.1 200 OK\r\n', 'X: y\r\n', 50)],
  ['2xx, then a byte a second', 'answered 200', 5_000, started('HTTP/1.1 200 OK\r\n\r\n', 'x', 1_000)],
]

longTest('one deadline of 5 s ends every slow answer', { concurrency: true }, async (t) => {
  const cases = SLOW.map(([name, expected, atMs, reply]) =>
    t.test(name, async (t) => {
      const { attempted } = await attemptAt(t, reply)
      assert.equal(told(attempted), expected)
      assert.ok(Math.abs(attempted.elapsedMs - atMs) < 190, `took ${attempted.elapsedMs} ms`)
    }),
  )
  const idle = t.test('an idle socket is closed after 4 s', async (t) => {
    const { seen } = await attemptAt(t, OK)
    const startedAt = performance.now()
    for (const socket of seen.sockets) await closing(socket)
    const idleMs = performance.now() - startedAt
    assert.ok(idleMs > 3_000 && idleMs < 6_000, `closed after ${idleMs} ms`)
  })
  await Promise.all([...cases, idle])
})

function flood(socket: Socket) {
  while (!socket.destroyed && socket.write(Buffer.alloc(65_536)));
  socket.once('drain', () => flood(socket))
}

test('a body of 1 GB or without end is cut after its first bytes', async (t) => {
  for (const head of ['HTTP/1.1 200 OK\r\nContent-Length: 1073741824\r\n\r\n', 'HTTP/1.1 200 OK\r\n\r\n']) {
    const { seen, attempted } = await attemptAt(t, (socket) => {
      socket.write(head)
      flood(socket)
    })
    assert.equal(told(attempted), 'answered 200')
    assert.ok(attempted.elapsedMs < 1_500, `took ${attempted.elapsedMs} ms`)
    const [socket] = seen.sockets
    if (socket) await closing(socket)
    assert.ok((socket?.bytesWritten ?? 0) < 32_000_000, `${socket?.bytesWritten} bytes left the receiver`)
  }
})

test('no redirect is followed and its target sees nothing', async (t) => {
  const inside = await receiver(t, OK)
  for (const status of [301, 302, 303, 307, 308]) {
    const location = `http://127.0.0.1:${inside.port}/`
    const reply = `HTTP/1.1 ${status} Moved\r\nLocation: ${location}\r\nContent-Length: 0\r\n\r\n`
    const seen = await receiver(t, reply)
    const allowPrivate = [`127.0.0.1:${seen.port}`, `127.0.0.1:${inside.port}`]
    const attempted = await post(posterFor(t, { allowPrivate }), `http://127.0.0.1:${seen.port}/`)
    assert.equal(told(attempted), `redirect refused ${status}`)
    assert.equal(seen.requests.length, 1)
  }
  const loop = 'HTTP/1.1 302 Moved\r\nLocation: /\r\nContent-Length: 0\r\n\r\n'
  const { seen, attempted } = await attemptAt(t, loop)
  assert.equal(told(attempted), 'redirect refused 302')
  assert.equal(seen.requests.length, 1)
  assert.equal(inside.connections, 0)
})

longTest(
  'an unreachable receiver fails in the right time with the right class',
  {
    concurrency: true,
  },
  async (t) => {
    const silent = await receiver(t, OK)
    const allowPrivate = [`${NAME}:${silent.port}`, `${NAME}:1`]
    type Resolve = PosterOptions['resolve']
    const cases: [name: string, expected: string, atMs: number, url: string, resolve: Resolve][] = [
      ['refused', 'connect', 0, `http://${NAME}:1/`, LOOPBACK],
      ['no such name', 'dns', 0, `http://${NAME}:1/`, () => Promise.reject(new Error('ENOTFOUND'))],
      ['a name without addresses', 'dns', 0, `http://${NAME}:1/`, async () => []],
      ['a slow name server', 'dns', 1_000, `https://${NAME}/`, () => new Promise(() => {})],
      ['TLS never answered', 'connect', 2_000, `https://${NAME}:${silent.port}/`, LOOPBACK],
    ]
    const all = cases.map(([name, expected, atMs, url, resolve]) =>
      t.test(name, async (t) => {
        const attempted = await post(posterFor(t, { allowPrivate, resolve }), url)
        assert.equal(told(attempted), expected)
        const late = attempted.elapsedMs - atMs
        assert.ok(late > -50 && late < 900, `took ${attempted.elapsedMs} ms`)
      }),
    )
    await Promise.all(all)
  },
)

test('the caller can end an attempt', async (t) => {
  const seen = await receiver(t, () => stop.abort())
  const stop = new AbortController()
  const poster = posterFor(t, { allowPrivate: [`127.0.0.1:${seen.port}`] })
  const url = `http://127.0.0.1:${seen.port}/`
  const request = { url, body: Buffer.from(BODY), headers: {}, keepAlive: false, signal: stop.signal }
  assert.equal(told(await poster.post(request)), 'aborted')
  assert.equal(told(await poster.post(request)), 'aborted')
  assert.equal(seen.requests.length, 1)
})

function pem([text = '']: TemplateStringsArray): string {
  const [, kind, base64 = ''] = /^(.*) (.*)$/.exec(text) ?? []
  return `-----BEGIN ${kind}-----\n${base64.replace(/.{64}/g, '$&\n')}\n-----END ${kind}-----\n`
}

// Made by openssl, valid 2020 to 2120 except the expired one (2020 to 2021); the key protects nothing.
const CA = pem`CERTIFICATE MIIBVDCB+qADAgECAgEQMAoGCCqGSM49BAMCMBIxEDAOBgNVBAMMB3Rlc3QtY2EwIBcNMjAwMTAxMDAwMDAwWhgPMjEyMDAxMDEwMDAwMDBaMBIxEDAOBgNVBAMMB3Rlc3QtY2EwWTATBgcqhkjOPQIBBggqhkjOPQMBBwNCAAS3xe5kNIzkDnv/Uo/05hbAp8pzDFWM9R8dF4wxskeRhbzlL6basT3krNXl6x17dyeukrq4hUsoefM3DrL0rcRQoz8wPTAPBgNVHRMBAf8EBTADAQH/MAsGA1UdDwQEAwICBDAdBgNVHQ4EFgQUIrHICf7YKvYP1J7bNjl3/J5N4+MwCgYIKoZIzj0EAwIDSQAwRgIhAKDC6qpbeljNm3umqS2/Yto88IGmXpyNLmuPQvE4BhHIAiEA8EQl5jWibIDuz3XE+lr0rCGGao5lmb3Q1Vmd2dgTj+s=`
const GOOD = pem`CERTIFICATE MIIBWzCCAQKgAwIBAgIBETAKBggqhkjOPQQDAjASMRAwDgYDVQQDDAd0ZXN0LWNhMCAXDTIwMDEwMTAwMDAwMFoYDzIxMjAwMTAxMDAwMDAwWjAbMRkwFwYDVQQDDBByZWNlaXZlci5zaG9wLnVnMFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAEt8XuZDSM5A57/1KP9OYWwKfKcwxVjPUfHReMMbJHkYW85S+m2rE95KzV5esde3cnrpK6uIVLKHnzNw6y9K3EUKM+MDwwGwYDVR0RBBQwEoIQcmVjZWl2ZXIuc2hvcC51ZzAdBgNVHQ4EFgQUIrHICf7YKvYP1J7bNjl3/J5N4+MwCgYIKoZIzj0EAwIDRwAwRAIgTbNEUlHrNsOCL39rGfLhTFelPvjOVc2UxwbeRCQ4Dc4CIEwM/kkQxTuelKS6l0PDtQ/xs2zLBgixcCPVsCMz8iwr`
const EXPIRED = pem`CERTIFICATE MIIBWzCCAQCgAwIBAgIBEjAKBggqhkjOPQQDAjASMRAwDgYDVQQDDAd0ZXN0LWNhMB4XDTIwMDEwMTAwMDAwMFoXDTIxMDEwMTAwMDAwMFowGzEZMBcGA1UEAwwQcmVjZWl2ZXIuc2hvcC51ZzBZMBMGByqGSM49AgEGCCqGSM49AwEHA0IABLfF7mQ0jOQOe/9Sj/TmFsCnynMMVYz1Hx0XjDGyR5GFvOUvptqxPeSs1eXrHXt3J66SuriFSyh58zcOsvStxFCjPjA8MBsGA1UdEQQUMBKCEHJlY2VpdmVyLnNob3AudWcwHQYDVR0OBBYEFCKxyAn+2Cr2D9Se2zY5d/yeTePjMAoGCCqGSM49BAMCA0kAMEYCIQCbgwxNnDUueQbaJA9x7YCJb3FO/ta1cDlzqARzyvRyGAIhAMIPVoduTULvMicEZozYdAFT1zy6kKRqkEfsdkYqABdg`
const OTHER_NAME = pem`CERTIFICATE MIIBVTCB/KADAgECAgETMAoGCCqGSM49BAMCMBIxEDAOBgNVBAMMB3Rlc3QtY2EwIBcNMjAwMTAxMDAwMDAwWhgPMjEyMDAxMDEwMDAwMDBaMBgxFjAUBgNVBAMMDW90aGVyLnNob3AudWcwWTATBgcqhkjOPQIBBggqhkjOPQMBBwNCAAS3xe5kNIzkDnv/Uo/05hbAp8pzDFWM9R8dF4wxskeRhbzlL6basT3krNXl6x17dyeukrq4hUsoefM3DrL0rcRQozswOTAYBgNVHREEETAPgg1vdGhlci5zaG9wLnVnMB0GA1UdDgQWBBQiscgJ/tgq9g/Unts2OXf8nk3j4zAKBggqhkjOPQQDAgNIADBFAiEA8hWpEM5GVDwfnrYK+z4873rLJGDaED5upoWSmcF0UKYCIGDmiF6T+RaOcq2t/6/HwJQUjVHxIM/Hi0nBv7HKODKZ`
const SELF_SIGNED = pem`CERTIFICATE MIIBZTCCAQugAwIBAgIBFDAKBggqhkjOPQQDAjAbMRkwFwYDVQQDDBByZWNlaXZlci5zaG9wLnVnMCAXDTIwMDEwMTAwMDAwMFoYDzIxMjAwMTAxMDAwMDAwWjAbMRkwFwYDVQQDDBByZWNlaXZlci5zaG9wLnVnMFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAEt8XuZDSM5A57/1KP9OYWwKfKcwxVjPUfHReMMbJHkYW85S+m2rE95KzV5esde3cnrpK6uIVLKHnzNw6y9K3EUKM+MDwwGwYDVR0RBBQwEoIQcmVjZWl2ZXIuc2hvcC51ZzAdBgNVHQ4EFgQUIrHICf7YKvYP1J7bNjl3/J5N4+MwCgYIKoZIzj0EAwIDSAAwRQIhAId8GfsJ8flDPWzai+9JgkNEdH3n597zsSxSsTMXkLj1AiBVOBU1btQKwHlwEGWsUgp+NMPYkN9Hc92RkGDY46ZgVQ==`
const KEY = pem`PRIVATE KEY MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQg8jMu9ICTeLonnx0TZlBHDEuT2e0X/ohLg8s4ju+Bjx2hRANCAAS3xe5kNIzkDnv/Uo/05hbAp8pzDFWM9R8dF4wxskeRhbzlL6basT3krNXl6x17dyeukrq4hUsoefM3DrL0rcRQ`

const OLD = { minVersion: 'TLSv1', maxVersion: 'TLSv1.1', ciphers: 'DEFAULT@SECLEVEL=0' } as const
const SECURE: [name: string, expected: string, options: TlsOptions][] = [
  ['TLS 1.3', 'answered 200', { cert: GOOD }],
  ['TLS 1.2', 'answered 200', { cert: GOOD, maxVersion: 'TLSv1.2' }],
  ['TLS 1.1', 'tls', { cert: GOOD, ...OLD }],
  ['expired', 'tls', { cert: EXPIRED }],
  ['wrong name', 'tls', { cert: OTHER_NAME, maxVersion: 'TLSv1.2' }],
  ['self-signed', 'tls', { cert: SELF_SIGNED }],
]

for (const [name, expected, options] of SECURE) {
  longTest(`certificate and version are checked: ${name}`, async (t) => {
    const seen = await receiver(t, OK, { key: KEY, ...options })
    const poster = posterFor(t, { ca: CA, allowPrivate: [`${NAME}:${seen.port}`] })
    // Twice, because a session resumed from the first try would skip the check of the name.
    for (const _ of [1, 2]) assert.equal(told(await post(poster, `https://${NAME}:${seen.port}/`)), expected)
    assert.equal(seen.requests.length, expected === 'tls' ? 0 : 2)
  })
}

test('a certificate for a name is not accepted for a bare address', async (t) => {
  const { port } = await receiver(t, OK, { key: KEY, cert: GOOD })
  const poster = posterFor(t, { ca: CA, allowPrivate: [`127.0.0.1:${port}`] })
  assert.equal(told(await post(poster, `https://127.0.0.1:${port}/`)), 'tls')
})

test('keepAlive reuses one socket and one look-up; without it every attempt has its own', async (t) => {
  for (const [keepAlive, sockets] of [
    [true, 1],
    [false, 3],
  ] as const) {
    const seen = await receiver(t, OK)
    let lookUps = 0
    const resolve = () => {
      lookUps += 1
      return LOOPBACK()
    }
    const poster = posterFor(t, { resolve, allowPrivate: [`${NAME}:${seen.port}`] })
    for (const _ of [1, 2, 3]) await post(poster, `http://${NAME}:${seen.port}/`, keepAlive)
    assert.deepEqual([seen.connections, lookUps], [sockets, sockets])
    assert.match(seen.requests[0] ?? '', keepAlive ? /connection: keep-alive/i : /connection: close/i)
  }
})

longTest('idle sockets stay bounded however many receivers there are, and close ends them all', async (t) => {
  const seen = await receiver(t, OK)
  const names = Array.from({ length: 700 }, (_, i) => `r${i}.shop.ug:${seen.port}`)
  const poster = posterFor(t, { allowPrivate: names })
  const open = () => seen.sockets.filter((socket) => !socket.destroyed).length
  for (const name of names) assert.equal(told(await post(poster, `http://${name}/`, true)), 'answered 200')
  assert.equal(seen.connections, 700)
  assert.ok(open() < 530, `${open()} sockets are open`)
  await poster.close()
  await Promise.all(seen.sockets.map(closing))
  assert.throws(() => post(poster, `http://${names[0]}/`), /nothing is posted after close/)
})
