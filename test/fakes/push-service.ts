import { createDecipheriv, createECDH, createPublicKey, createVerify, hkdfSync, randomBytes } from 'node:crypto'
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http'

/** A message as the browser behind a subscription reads it, with how it was signed. */
type Pushed = {
  message: any
  headers: IncomingHttpHeaders
  signer: string
  claims: { aud: string; exp: number; sub: string }
}

/** A browser that takes messages at the fake service. */
export type Subscriber = {
  /** What a page sends of it. */
  fields: { endpoint: string; p256dh: string; auth: string }
  received: Pushed[]
  /** Attempts, answered well or not. */
  asked(): number
  /** How it answers from now on; 201 until then. */
  behave(how: (response: ServerResponse) => void): void
}

/** A push service that speaks the protocol (RFC 8030, 8291, 8292): what a browser could not read it refuses with 400. */
export type PushService = {
  /** host:port, for WEBHOOK_ALLOW_PRIVATE. */
  place: string
  subscribe(): Subscriber
  close(): Promise<void>
}

type Known = {
  curve: ReturnType<typeof createECDH>
  secret: Buffer
  subscriber: Subscriber
  answer: (response: ServerResponse) => void
  asked: number
}

const RECORD_HEADER = 21
const TAG = 16
const LAST_RECORD = 2

export async function startPushService(): Promise<PushService> {
  const known = new Map<string, Known>()
  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk) => chunks.push(chunk))
    request.on('end', () => {
      const one = known.get(request.url ?? '')
      if (one === undefined || request.method !== 'POST') return void response.writeHead(404).end()
      one.asked += 1
      try {
        const pushed = read(one, request.headers, Buffer.concat(chunks))
        one.answer(response)
        if (response.statusCode < 300 && response.writableEnded) one.subscriber.received.push(pushed)
      } catch (error) {
        response.writeHead(400).end(String(error))
      }
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as { port: number }
  return {
    place: `127.0.0.1:${port}`,
    subscribe() {
      const curve = createECDH('prime256v1')
      const secret = randomBytes(16)
      const path = `/push/${randomBytes(12).toString('hex')}`
      const fields = {
        endpoint: `http://127.0.0.1:${port}${path}`,
        p256dh: curve.generateKeys('base64url'),
        auth: secret.toString('base64url'),
      }
      const subscriber: Subscriber = {
        fields,
        received: [],
        asked: () => one.asked,
        behave: (how) => {
          one.answer = how
        },
      }
      const one: Known = {
        curve,
        secret,
        subscriber,
        asked: 0,
        answer: (response) => void response.writeHead(201).end(),
      }
      known.set(path, one)
      return subscriber
    },
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections()
        server.close(() => resolve())
      }),
  }
}

function read({ curve, secret }: Known, headers: IncomingHttpHeaders, body: Buffer): Pushed {
  if (headers['content-encoding'] !== 'aes128gcm') throw new Error('not encrypted for a browser')
  if (!/^\d+$/.test(String(headers.ttl))) throw new Error('no TTL')
  return { message: JSON.parse(decrypt(curve, secret, body)), headers, ...verify(headers) }
}

/** RFC 8291 and 8188, with one record. */
function decrypt(curve: Known['curve'], secret: Buffer, body: Buffer): string {
  const salt = body.subarray(0, 16)
  const sender = body.subarray(RECORD_HEADER, RECORD_HEADER + (body[RECORD_HEADER - 1] ?? 0))
  const sealed = body.subarray(RECORD_HEADER + sender.length)
  const info = Buffer.concat([Buffer.from('WebPush: info\0'), curve.getPublicKey(), sender])
  const shared = hkdfSync('sha256', curve.computeSecret(sender), secret, info, 32)
  const derive = (name: string, bytes: number) =>
    Buffer.from(hkdfSync('sha256', Buffer.from(shared), salt, `Content-Encoding: ${name}\0`, bytes))
  const decipher = createDecipheriv('aes-128-gcm', derive('aes128gcm', 16), derive('nonce', 12))
  decipher.setAuthTag(sealed.subarray(-TAG))
  const padded = Buffer.concat([decipher.update(sealed.subarray(0, -TAG)), decipher.final()])
  const end = padded.lastIndexOf(LAST_RECORD)
  return padded.subarray(0, end).toString('utf8')
}

/** RFC 8292: a token that the sender has signed for this service. */
function verify({ authorization = '', host }: IncomingHttpHeaders): Pick<Pushed, 'signer' | 'claims'> {
  const [, token = '', signer = ''] = /^vapid t=([^,]+), ?k=(.+)$/.exec(authorization) ?? []
  const [header = '', payload = '', signature = ''] = token.split('.')
  const point = Buffer.from(signer, 'base64url')
  const [x, y] = [point.subarray(1, 33), point.subarray(33)].map((half) => half.toString('base64url'))
  const key = createPublicKey({ key: { kty: 'EC', crv: 'P-256', x: x ?? '', y: y ?? '' }, format: 'jwk' })
  const isSigned = createVerify('sha256')
    .update(`${header}.${payload}`)
    .verify({ key, dsaEncoding: 'ieee-p1363' }, Buffer.from(signature, 'base64url'))
  const claims = JSON.parse(Buffer.from(payload, 'base64url').toString('utf8')) as Pushed['claims']
  if (!isSigned || claims.aud !== `http://${host}` || claims.exp * 1000 < Date.now())
    throw new Error('not signed for this')
  return { signer, claims }
}
