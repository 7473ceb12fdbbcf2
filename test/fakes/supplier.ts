import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http'
import { md5 } from './supplier-callbacks.ts'

/** How the supplier treats a command. */
export type CommandHow =
  | 'accept'
  | 'accept as number'
  | 'refuse'
  | 'bad request'
  | 'not found'
  | 'error'
  | 'garbage'
  | 'list'
  | 'no code'
  | 'empty'
  | 'redirect'
  | 'cut'
  | 'too long'
  | 'hang'
  | 'hang in the answer'
  | 'reset before reading'
  | 'reset after reading'
  | 'echo'

/** One command as it arrived. `genuine`: correctly signed with the supplier's secret. */
export type Command = {
  machine: string
  orderId: string
  chargeId: string
  genuine: boolean
  body: any
  text: string
  headers: IncomingHttpHeaders
}
type Question = { path: string; body: any; headers: IncomingHttpHeaders }

/** A supplier of vending machines: real HTTP, the four paths of contract.md 6.1, with faults that the test chooses. */
export type FakeSupplier = {
  /** host:port, for SUPPLIER_ALLOW_PRIVATE. */
  place: string
  url: string
  /** The settings a merchant has to enter. */
  access: { baseUrl: string; key: string; secret: string; shbh: string }
  /** Every command that arrived completely, in order. */
  commands: readonly Command[]
  /** All other requests. */
  questions: readonly Question[]
  /** How many connections were opened to it. */
  connections(): number
  /** For one machine, or for all that are not named. Only the latter can reset before reading: the number is in the body. */
  behave(how: CommandHow, machine?: string): void
  /** The next command is answered only when the returned function is called. */
  holdNext(): (how: CommandHow) => void
  /** Sets the answer to a question; a text is sent unchanged. */
  answers(what: 'machines' | 'state' | 'tray', answer: unknown): void
  /** Called for each accepted command. */
  onAccepted(listener: (command: Command) => void): void
  close(): Promise<void>
}

const PATHS = {
  '/service-api/api/queryMachine': 'machines',
  '/service-api/api/queryMachineState': 'state',
  '/service-api/api/queryMachineHdGoodPlus': 'tray',
} as const
const DISPENSE = '/service-pay-third/third/pay/api/ApplyExportGoods'
const SIGNED = ['consumeType', 'ddbh', 'dsfjybh', 'jqbh', 'qhm', 'zfzh']
const TOO_LONG = 1024 * 1024 + 1

export async function startSupplier(
  given: { port?: number; key?: string; secret?: string; shbh?: string } = {},
): Promise<FakeSupplier> {
  const { key = 'supplier-key', secret = 'supplier-s3cr3t', shbh = 'M1' } = given
  const commands: Command[] = []
  const questions: Question[] = []
  const hows = new Map<string, CommandHow>()
  const answers = new Map<string, unknown>([
    ['machines', { code: '1', data: [] }],
    ['state', { code: '1', data: { online: 1 } }],
    ['tray', { code: '1', data: [] }],
  ])
  let connections = 0
  let held: Promise<CommandHow> | null = null
  let accepted = (_command: Command) => {}
  const server = createServer(async (request, response) => {
    if (request.url === DISPENSE && hows.get('') === 'reset before reading')
      return void request.socket.resetAndDestroy()
    const text = await readText(request).catch(() => null)
    if (text === null) return
    const what = PATHS[request.url as keyof typeof PATHS]
    if (what !== undefined) {
      questions.push({ path: request.url ?? '', body: parsed(text), headers: request.headers })
      return sendJson(response, answers.get(what))
    }
    if (request.url !== DISPENSE) return void response.writeHead(404).end('no such path')
    const command = readCommand(text, { key, secret, headers: request.headers })
    commands.push(command)
    const wait = held
    held = null
    const how = (await wait) ?? hows.get(command.machine) ?? hows.get('') ?? 'accept'
    if (!command.genuine) return sendJson(response, { code: '0', message: 'sign error' })
    ANSWERS[how](response, command)
    if (how.startsWith('accept')) accepted(command)
  })
  server.on('connection', (socket) => {
    connections += 1
    socket.on('error', () => {})
  })
  await new Promise<void>((resolve) => server.listen(given.port ?? 0, '127.0.0.1', resolve))
  const { port } = server.address() as { port: number }
  const place = `127.0.0.1:${port}`
  return {
    place,
    url: `http://${place}`,
    access: { baseUrl: `http://${place}`, key, secret, shbh },
    commands,
    questions,
    connections: () => connections,
    behave: (how, machine = '') => void hows.set(machine, how),
    holdNext: () => {
      let answer = (_how: CommandHow) => {}
      held = new Promise((resolve) => {
        answer = resolve
      })
      return answer
    },
    answers: (what, answer) => void answers.set(what, answer),
    onAccepted: (listener) => {
      accepted = listener
    },
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections()
        server.close(() => resolve())
      }),
  }
}

function readCommand(
  text: string,
  { key, secret, headers }: { key: string; secret: string; headers: IncomingHttpHeaders },
): Command {
  const body = parsed(text) as any
  const order = body?.orderDTO?.order ?? {}
  const facts: Record<string, unknown> = { ...order, consumeType: body?.consumeType }
  const base = SIGNED.map((name) => `${name}=${facts[name] ?? ''}`).join('&')
  const genuine = body?.key === key && body?.sign === md5(`${secret}${body?.timestamp}${base}`)
  return {
    machine: String(order.jqbh),
    orderId: String(order.ddbh),
    chargeId: String(order.dsfjybh),
    genuine,
    body,
    text,
    headers,
  }
}

const ACCEPT = { code: '1', message: 'success' }
type AnswerCommand = (response: ServerResponse, command: Command) => unknown
const html = (response: ServerResponse, status: number) =>
  response.writeHead(status, { 'content-type': 'text/html' }).end('<h1>no JSON</h1>')
const reset: AnswerCommand = (response) => response.socket?.resetAndDestroy()

const ANSWERS: Record<CommandHow, AnswerCommand> = {
  accept: (response) => sendJson(response, ACCEPT),
  'accept as number': (response) => sendJson(response, { code: 1 }),
  refuse: (response) => sendJson(response, { code: '0', message: 'machine offline' }),
  'bad request': (response) => sendJson(response, { code: '400', message: 'no such machine' }, 400),
  'not found': (response) => html(response, 404),
  error: (response) => sendJson(response, { code: '0', message: 'trouble' }, 500),
  garbage: (response) => html(response, 200),
  list: (response) => sendJson(response, [ACCEPT]),
  'no code': (response) => sendJson(response, { message: 'success' }),
  empty: (response) => response.writeHead(204).end(),
  redirect: (response) => response.writeHead(307, { location: DISPENSE }).end(),
  cut: (response) => {
    response.writeHead(200, { 'content-length': '1000' }).write('{"code":"1"')
    setImmediate(() => response.socket?.end())
  },
  'too long': (response) => sendJson(response, { ...ACCEPT, more: 'x'.repeat(TOO_LONG) }),
  hang: () => {},
  'hang in the answer': (response) => response.writeHead(200).write('{"code":"1"'),
  'reset before reading': reset,
  'reset after reading': reset,
  // The secret is never sent to the supplier, so it could only echo the key and the signature.
  echo: (response, command) => sendJson(response, { code: '0', message: `refused \u0000 ${command.text}` }),
}

export const COMMAND_HOWS = Object.keys(ANSWERS) as readonly CommandHow[]

function sendJson(response: ServerResponse, value: unknown, status = 200): void {
  response.writeHead(status, { 'content-type': 'application/json' })
  response.end(typeof value === 'string' ? value : JSON.stringify(value))
}

async function readText(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk)
  return Buffer.concat(chunks).toString('utf8')
}

function parsed(text: string): any {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}
