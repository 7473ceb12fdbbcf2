// Signatures of requests (RFC 9421 with Ed25519), for keys that take nothing else. Only WebCrypto, which every runtime has.

/** What is sent of a request. `headers` have small letters. */
type Unsigned = {
  method: string
  url: string
  headers: Record<string, string>
  body: string | undefined
  nowMs: number
}

export type Signer = {
  /** Reads the private key. Throws TypeError where it is none. */
  ready(): Promise<void>
  /** The headers that a request must have besides, to be signed. */
  sign(request: Unsigned): Promise<Record<string, string>>
}

const PEM = /^\s*-----BEGIN PRIVATE KEY-----([\s\w+/=]+)-----END PRIVATE KEY-----\s*$/

/** A signer with this private key, an Ed25519 one as PEM (PKCS #8). */
export function newSigner(pem: string): Signer {
  let key: Promise<CryptoKey> | undefined
  const read = () => (key ??= readKey(pem))
  return {
    ready: async () => void (await read()),
    sign: async (request) => signed(await read(), request),
  }
}

async function readKey(pem: string): Promise<CryptoKey> {
  try {
    const der = Uint8Array.from(atob((PEM.exec(pem)?.[1] ?? '').replaceAll(/\s/g, '')), (char) => char.charCodeAt(0))
    return await crypto.subtle.importKey('pkcs8', der, { name: 'Ed25519' }, false, ['sign'])
  } catch (cause) {
    throw new TypeError('signingKey must be an Ed25519 private key as PEM, -----BEGIN PRIVATE KEY-----', { cause })
  }
}

async function signed(
  key: CryptoKey,
  { method, url, headers, body, nowMs }: Unsigned,
): Promise<Record<string, string>> {
  const { pathname, search } = new URL(url)
  const digest =
    method === 'POST' ? `sha-256=:${toBase64(await crypto.subtle.digest('SHA-256', toBytes(body ?? '')))}:` : null
  const covered = [
    ['@method', method],
    ['@path', pathname],
    ...(search === '' ? [] : [['@query', search]]),
    ...(digest === null ? [] : [['content-digest', digest]]),
    ...['authorization', 'x-timestamp', 'idempotency-key'].flatMap((name) => {
      const value = headers[name]
      return value === undefined ? [] : [[name, value]]
    }),
  ]
  const names = covered.map(([name]) => `"${name}"`).join(' ')
  const input = `(${names});created=${Math.floor(nowMs / 1000)};alg="ed25519"`
  const base = [...covered.map(([name, value]) => `"${name}": ${value}`), `"@signature-params": ${input}`].join('\n')
  const signature = await crypto.subtle.sign('Ed25519', key, toBytes(base))
  return {
    ...(digest === null ? {} : { 'content-digest': digest }),
    'signature-input': `sig=${input}`,
    signature: `sig=:${toBase64(signature)}:`,
  }
}

const toBytes = (text: string) => new TextEncoder().encode(text)
const toBase64 = (bytes: ArrayBuffer) => btoa(String.fromCharCode(...new Uint8Array(bytes)))
