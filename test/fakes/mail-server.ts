import { createServer, type Socket } from 'node:net'

/** A mail as the server has taken it. */
type TakenMail = { to: string; data: string }

/** How the server treats the next mail: takes it, refuses the recipient, is busy, hangs, or dies after it has the text. */
type MailTrouble = 'none' | 'refuse' | 'busy' | 'hang' | 'cut after text'

/** Somebody's mail server: real SMTP, with faults that the test chooses. */
export type MailServer = {
  url: string
  taken: TakenMail[]
  /** Texts that came, taken or not. */
  texts: string[]
  behave(how: MailTrouble): void
  close(): Promise<void>
}

export async function startMailServer(): Promise<MailServer> {
  const taken: TakenMail[] = []
  const texts: string[] = []
  const sockets = new Set<Socket>()
  let how: MailTrouble = 'none'
  const server = createServer((socket) => {
    sockets.add(socket)
    socket.on('close', () => sockets.delete(socket)).on('error', () => {})
    converse(socket, {
      trouble: () => how,
      text: (data) => texts.push(data),
      take: (mail) => taken.push(mail),
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as { port: number }
  return {
    url: `smtp://127.0.0.1:${port}`,
    taken,
    texts,
    behave: (next) => {
      how = next
    },
    close: () =>
      new Promise((resolve) => {
        for (const socket of sockets) socket.destroy()
        server.close(() => resolve())
      }),
  }
}

type Clerk = { trouble(): MailTrouble; text(data: string): void; take(mail: TakenMail): void }

/** One connection: a command a line, the text of a mail until a line with a dot. */
function converse(socket: Socket, clerk: Clerk): void {
  let buffered = ''
  let to = ''
  let inText = false
  const say = (line: string) => socket.write(`${line}\r\n`)
  const command = (line: string) => {
    const verb = line.slice(0, 4).toUpperCase()
    if (clerk.trouble() === 'hang' && verb === 'RCPT') return
    if (verb === 'EHLO') return say('250-fake\r\n250 8BITMIME')
    if (verb === 'RCPT') {
      if (clerk.trouble() === 'refuse') return say(`550 5.1.1 <${/<([^>]*)>/.exec(line)?.[1]}> is no mailbox here`)
      if (clerk.trouble() === 'busy') return say('451 4.3.0 come back later')
      to = /<([^>]*)>/.exec(line)?.[1] ?? ''
      return say('250 ok')
    }
    if (verb === 'DATA') {
      inText = true
      return say('354 go on')
    }
    if (verb === 'QUIT') return socket.end('221 bye\r\n')
    return say('250 ok')
  }
  const text = (data: string) => {
    inText = false
    clerk.text(data)
    if (clerk.trouble() === 'cut after text') return socket.destroy()
    clerk.take({ to, data })
    say('250 taken')
  }
  say('220 fake ready')
  socket.setEncoding('utf8').on('data', (piece: string) => {
    buffered += piece
    for (;;) {
      const end = inText ? buffered.indexOf('\r\n.\r\n') : buffered.indexOf('\r\n')
      if (end < 0) return
      const part = buffered.slice(0, end)
      buffered = buffered.slice(end + (inText ? 5 : 2))
      if (inText) text(part)
      else command(part)
    }
  })
}
