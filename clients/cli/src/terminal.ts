import { createInterface } from 'node:readline'
import { styleText } from 'node:util'
import { Refused } from './faults.ts'

type Colour = 'red' | 'green' | 'yellow' | 'cyan' | 'bold' | 'dim'

/** Where a command reads and writes. */
export type Terminal = {
  /** Whether the answer is wanted as JSON. */
  json: boolean
  /** Whether a person sits there, who can be asked. */
  isInteractive: boolean
  /** Writes a line of the answer. */
  out(line: string): void
  /** Writes a line beside the answer: a hint, a warning, a fault. */
  note(line: string): void
  paint(colour: Colour, text: string): string
  /** Asks a question, and returns the line that is typed. */
  ask(question: string): Promise<string>
  /** The same for a secret: nothing of it is shown. Where nobody sits there, the first line of the standard input. */
  askSecret(question: string): Promise<string>
  /** Everything of the standard input. Throws Refused where it is too long. */
  readInput(): Promise<string>
}

type Streams = { input: NodeJS.ReadStream; output: NodeJS.WriteStream; errors: NodeJS.WriteStream }
type TerminalSettings = { json: boolean; noColour: boolean }

const MAX_SECRET_BYTES = 4096
const MAX_INPUT_BYTES = 1024 * 1024
const [END_OF_TEXT, END_OF_INPUT, BACKSPACE, DELETE] = ['\u0003', '\u0004', '\b', '\u007f']

export function openTerminal(streams: Streams, { json, noColour }: TerminalSettings): Terminal {
  const { input, output, errors } = streams
  const coloured = Boolean(output.isTTY) && !noColour && !json
  // Whoever reads us may have enough: `mmg charges list | head`.
  for (const stream of [output, errors]) stream.on('error', () => process.exit(0))
  return {
    json,
    isInteractive: Boolean(input.isTTY && errors.isTTY),
    out: (line) => void output.write(`${line}\n`),
    note: (line) => void errors.write(`${line}\n`),
    paint: (colour, text) => (coloured ? styleText(colour, text) : text),
    ask: (question) => typedLine(streams, question),
    askSecret: (question) => (input.isTTY ? typedSecret(streams, question) : firstLine(input)),
    readInput: () => wholeInput(input),
  }
}

/** The line that is typed; nothing where the person leaves instead. */
function typedLine({ input, errors }: Streams, question: string): Promise<string> {
  const lines = createInterface({ input, output: errors })
  return new Promise<string>((resolve) => {
    for (const leaving of ['SIGINT', 'close']) lines.on(leaving, () => resolve(''))
    lines.question(question, resolve)
  }).finally(() => lines.close())
}

/** Reads keys one by one, because a terminal that reads lines shows them. */
async function typedSecret({ input, errors }: Streams, question: string): Promise<string> {
  input.setRawMode(true)
  errors.write(question)
  let typed = ''
  try {
    for await (const piece of input) {
      for (const key of String(piece)) {
        if (key === '\r' || key === '\n' || key === END_OF_INPUT) return typed
        if (key === END_OF_TEXT) throw new Refused('nothing was stored')
        typed = key === BACKSPACE || key === DELETE ? typed.slice(0, -1) : typed + key
      }
      if (typed.length > MAX_SECRET_BYTES) throw new Refused('this is too long for a key')
    }
    return typed
  } finally {
    input.setRawMode(false)
    errors.write('\n')
  }
}

async function firstLine(input: NodeJS.ReadStream): Promise<string> {
  let text = ''
  for await (const piece of input) {
    text += String(piece)
    if (text.includes('\n') || text.length > MAX_SECRET_BYTES) break
  }
  return text.split('\n')[0] ?? ''
}

async function wholeInput(input: NodeJS.ReadStream): Promise<string> {
  const pieces: Buffer[] = []
  let length = 0
  for await (const piece of input) {
    length += piece.length
    if (length > MAX_INPUT_BYTES) throw new Refused('the standard input is longer than 1 MiB')
    pieces.push(Buffer.from(piece))
  }
  return Buffer.concat(pieces).toString('utf8')
}
