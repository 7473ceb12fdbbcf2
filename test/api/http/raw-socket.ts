import { connect } from 'node:net'

/** One answer as it stood on the wire. */
export type RawAnswer = { status: number; headers: Headers; text: string; body: any }
/** Everything a connection said until the server closed it. */
export type RawTalk = { answers: RawAnswer[]; text: string }

const PATIENCE_MS = 20_000

/**
 * Sends these bytes as they are and reads until the server closes; fails when it does not. A request that is to be
 * answered well must therefore ask for `Connection: close`. With `more` the sending goes on until the first byte comes back.
 */
export function talk(url: string, bytes: string | Buffer, more?: () => Buffer): Promise<RawTalk> {
  const { hostname, port } = new URL(url)
  return new Promise((resolve, reject) => {
    const socket = connect(Number(port), hostname)
    const heard: Buffer[] = []
    const patience = setTimeout(() => {
      socket.destroy()
      reject(new Error(`the server did not close; it said: ${Buffer.concat(heard).toString('latin1')}`))
    }, PATIENCE_MS)
    const goOn = () => {
      while (more && heard.length === 0 && socket.writable) if (!socket.write(more())) return
    }
    socket.on('drain', goOn)
    socket.on('data', (chunk) => heard.push(chunk))
    // A server that closes while we still send resets the connection: what it said before counts.
    socket.on('error', () => {})
    socket.on('close', () => {
      clearTimeout(patience)
      const text = Buffer.concat(heard).toString('latin1')
      resolve({ text, answers: readAnswers(text) })
    })
    socket.write(typeof bytes === 'string' ? Buffer.from(bytes, 'latin1') : bytes, goOn)
  })
}

/** The bytes of a request from its lines; `body` is measured unless a length is among the lines. */
export function requestOf(line: string, headers: readonly string[], body = ''): string {
  const measured = headers.some((header) => /^(content-length|transfer-encoding)\s*:/i.test(header))
  const length = body === '' || measured ? [] : [`Content-Length: ${Buffer.byteLength(body, 'latin1')}`]
  return [`${line} HTTP/1.1`, 'Host: gateway', ...headers, ...length, '', body].join('\r\n')
}

function readAnswers(text: string): RawAnswer[] {
  const answers: RawAnswer[] = []
  for (let rest = text; rest.startsWith('HTTP/1.1 '); ) {
    const end = rest.indexOf('\r\n\r\n')
    const [first = '', ...lines] = rest.slice(0, end).split('\r\n')
    const headers = new Headers(lines.map((line) => line.split(/: (.*)/s).slice(0, 2) as [string, string]))
    const length = Number(headers.get('content-length') ?? 0)
    const body = rest.slice(end + 4, end + 4 + length)
    answers.push({ status: Number(first.split(' ')[1]), headers, text: body, body: readJson(body) })
    rest = rest.slice(end + 4 + length)
  }
  return answers
}

function readJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}
