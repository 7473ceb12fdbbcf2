import { connect, type Socket } from 'node:net'
import type { Planted } from './dashboard.ts'
import { pdf } from './verification.ts'

/** A file that is sent over a real connection, as slowly as the test wants. */
export type SlowUpload = {
  /** Sends the next bytes of the form. Resolves when they have left. */
  send(bytes: number): Promise<void>
  /** Sends the rest of it. */
  sendRest(): Promise<void>
  /** Everything that was answered, until the connection was closed. */
  answered: Promise<string>
  hangUp(): void
}

type Sent = { path: string; fields: Readonly<Record<string, string>>; fileBytes?: number; address?: string }

/** Begins to send a form with one file, and sends its headers alone. */
export async function slowUpload(
  url: string,
  person: Planted,
  { path, fields, fileBytes = 1_000_000, address = '192.0.2.1' }: Sent,
): Promise<SlowUpload> {
  const body = formOf(fields, fileBytes)
  const { hostname, port } = new URL(url)
  const socket = connect(Number(port), hostname)
  const answered = heardOn(socket)
  const cookies = person.cookies().map(({ name, value }) => `${name}=${value}`)
  const head = [
    `POST ${path} HTTP/1.1`,
    'Host: gateway',
    `Cookie: ${cookies.join('; ')}`,
    `X-Forwarded-For: ${address}`,
    'Sec-Fetch-Site: same-origin',
    'Connection: close',
    'Content-Type: multipart/form-data; boundary=x',
    `Content-Length: ${body.length}`,
  ]
  let at = 0
  const write = (bytes: Buffer | string) =>
    new Promise<void>((resolve) => {
      if (!socket.writable) resolve()
      else socket.write(bytes, () => resolve())
    })
  const send = (bytes: number) => {
    at += bytes
    return write(body.subarray(at - bytes, at))
  }
  await write(`${head.join('\r\n')}\r\n\r\n`)
  return { send, sendRest: () => send(body.length - at), answered, hangUp: () => socket.destroy() }
}

function formOf(fields: Readonly<Record<string, string>>, fileBytes: number): Buffer {
  const lines = Object.entries(fields).map(
    ([name, value]) => `--x\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`,
  )
  return Buffer.concat([
    Buffer.from(lines.join('')),
    Buffer.from('--x\r\nContent-Disposition: form-data; name="file"; filename="a.pdf"\r\n\r\n'),
    pdf('x'.repeat(fileBytes)),
    Buffer.from('\r\n--x--\r\n'),
  ])
}

function heardOn(socket: Socket): Promise<string> {
  const heard: Buffer[] = []
  socket.on('data', (chunk) => heard.push(chunk))
  socket.on('error', () => {
    // What was heard before counts.
  })
  return new Promise((resolve) => socket.on('close', () => resolve(Buffer.concat(heard).toString('utf8'))))
}
