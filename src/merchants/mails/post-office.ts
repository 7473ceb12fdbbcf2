import { mkdir, rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Logger } from 'pino'
import { assertOutsideTransaction } from '../../platform/db/open-transaction.ts'

/** A file that a mail carries. */
export type MailFile = { name: string; type: string; bytes: Buffer }

/** A mail as it is sent. Retries carry the same id, so that a mail program recognises the second copy. */
type Envelope = {
  id: string
  to: string
  subject: string
  text: string
  html: string
  at: Date
  files?: readonly MailFile[]
}

/** The result of posting a mail: taken, refused for good, or not known. */
export type PostResult = { kind: 'taken' } | { kind: 'refused'; why: string } | { kind: 'unclear'; why: string }

/** Hands mails to the mail server, or writes them to files. */
export type PostOffice = { post(envelope: Envelope): Promise<PostResult>; close(): Promise<void> }

type Transport = {
  sendMail(mail: object): Promise<{ message?: Buffer | string }>
  close(): void
}
type PostOfficeOptions = {
  /** `smtp://` or `smtps://`; null: files in this folder. */
  url: string | null
  from: string
  folder: string
  log: Logger
}

// In ms. A slow server must not hold a mail for longer than its lease.
const DEADLINES = {
  connectionTimeout: 10_000,
  greetingTimeout: 10_000,
  socketTimeout: 20_000,
  dnsTimeout: 5_000,
}
const SENDER = 'Gateway'
const MAX_CONNECTIONS = 2
const MAX_ERROR_CHARACTERS = 200

/** Makes a post office. The library is loaded and the connection opened with the first mail. */
export function postOffice(options: PostOfficeOptions): PostOffice {
  let opening: Promise<Transport> | null = null
  const transport = () => {
    opening ??= openTransport(options)
    return opening
  }
  return {
    async post(envelope) {
      assertOutsideTransaction('a mail')
      try {
        const { message } = await (await transport()).sendMail(makeMessage(envelope, options))
        if (options.url === null) await writeMailFile(options, envelope, Buffer.from(message ?? ''))
        return { kind: 'taken' }
      } catch (error) {
        return classifyError(error)
      }
    },
    close: async () => {
      if (opening !== null) (await opening).close()
    },
  }
}

async function openTransport({ url }: PostOfficeOptions): Promise<Transport> {
  const { createTransport } = await import('nodemailer')
  if (url === null)
    return createTransport({ streamTransport: true, buffer: true, newline: 'unix' }) as unknown as Transport
  const { protocol, hostname, port, username, password } = new URL(url)
  const secure = protocol === 'smtps:'
  return createTransport({
    host: hostname.replace(/^\[|\]$/g, ''),
    port: Number(port) || (secure ? 465 : 587),
    secure,
    ...(username === ''
      ? {}
      : {
          auth: { user: decodeURIComponent(username), pass: decodeURIComponent(password) },
          requireTLS: !secure,
        }),
    ...DEADLINES,
    pool: true,
    maxConnections: MAX_CONNECTIONS,
    disableFileAccess: true,
    disableUrlAccess: true,
  }) as unknown as Transport
}

const makeMessage = ({ id, to, subject, text, html, at, files = [] }: Envelope, { from }: PostOfficeOptions) => ({
  from: withName(from),
  // As an object, so that no list of addresses can be read from it.
  to: { name: '', address: to },
  subject,
  text,
  html,
  attachments: files.map(({ name, type, bytes }) => ({ filename: name, contentType: type, content: bytes })),
  date: at,
  messageId: `<${id}@${hostOf(from)}>`,
  headers: { 'Auto-Submitted': 'auto-generated' },
})

/** Adds a name to a bare address, so that a list of mails does not show the address as the sender. */
const withName = (from: string) => (from.includes('<') ? from : { name: SENDER, address: from })

const hostOf = (from: string) => /@([^@>\s]+)>?$/.exec(from)?.[1] ?? 'localhost'

/** Writes the mail to a file of its own, which appears whole. */
async function writeMailFile(
  { folder, log }: PostOfficeOptions,
  { id, to, at }: Envelope,
  bytes: Buffer,
): Promise<void> {
  await mkdir(folder, { recursive: true, mode: 0o700 })
  const name = `${at.toISOString().replace(/[:.]/g, '-')}-${id}.eml`
  const unfinished = join(folder, `.${name}`)
  await writeFile(unfinished, bytes, { mode: 0o600 })
  await rename(unfinished, join(folder, name))
  log.info({ mail: name, to: to.replace(/^(.)[^@]*/, '$1***') }, 'a mail was written to a file')
}

/** Classifies an error: 5xx is a final refusal; after anything else the mail may have been taken, and is sent again. */
function classifyError(error: unknown): PostResult {
  const { responseCode, code, message } = error as { responseCode?: number; code?: string; message?: string }
  // Servers repeat the address in their refusal; logs and alerts need only its host.
  const why = `${code ?? ''} ${responseCode ?? ''} ${message ?? error}`
    .trim()
    .replace(/[^\s<>"'@]+@/g, '***@')
    .slice(0, MAX_ERROR_CHARACTERS)
  const final = responseCode !== undefined && responseCode >= 500 && code !== 'EAUTH'
  return final ? { kind: 'refused', why } : { kind: 'unclear', why }
}
