import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { connect } from 'node:net'
import test from 'node:test'
import { fileURLToPath } from 'node:url'
import { type Emulator, type EmulatorOptions, startEmulator } from '../../emulator/emulator.ts'

// Requests and answers of the operator to the letter, kept beside the emulator. {key}, {basic} and {token} stand for
// what a run has of its own.
type Said = { method: string; path: string; headers: Record<string, string>; body?: string } | { raw: string }
type Step = { says: Said; hears: Heard } | { advanceMs: number }
type Heard = { status: number; type: string | null; body: string }
type Transcript = { name: string; operator: EmulatorOptions; steps: Step[] }

const FILE = fileURLToPath(new URL('../../../emulator/golden/transcripts.json', import.meta.url))
const TRANSCRIPTS = JSON.parse(readFileSync(FILE, 'utf8')) as Transcript[]

for (const { name, operator, steps } of TRANSCRIPTS)
  test(`to the letter: ${name}`, async () => {
    const emulator = await startEmulator({ clock: 'virtual', ...operator })
    try {
      await replay(emulator, steps)
    } finally {
      await emulator.close()
    }
  })

async function replay(emulator: Emulator, steps: readonly Step[]): Promise<void> {
  const { subscriptionKey: key, user, secret } = emulator.credentials.collection
  const own: Record<string, string> = { key, basic: Buffer.from(`${user}:${secret}`).toString('base64') }
  for (const [nth, step] of steps.entries()) {
    if ('advanceMs' in step) {
      await emulator.advance(step.advanceMs)
      continue
    }
    const heard = await say(emulator, step.says, (text) => text.replace(/\{(\w+)\}/, (all, name) => own[name] ?? all))
    own.token = /"access_token":"([^"]+)"/.exec(heard.body)?.[1] ?? own.token ?? ''
    const body = own.token === '' ? heard.body : heard.body.replace(own.token, '{token}')
    assert.deepEqual({ ...heard, body }, step.hears, `step ${nth + 1}`)
  }
}

async function say(emulator: Emulator, said: Said, fill: (text: string) => string): Promise<Heard> {
  if ('raw' in said) return sayRaw(emulator, said.raw)
  const headers = Object.fromEntries(Object.entries(said.headers).map(([name, value]) => [name, fill(value)]))
  const answer = await fetch(`${emulator.url}${said.path}`, {
    ...{ method: said.method, headers },
    ...(said.body === undefined ? {} : { body: said.body }),
  })
  return { status: answer.status, type: answer.headers.get('content-type'), body: await answer.text() }
}

/** Bytes that no HTTP client would send. */
const sayRaw = ({ url }: Emulator, bytes: string): Promise<Heard> =>
  new Promise((resolve) => {
    let text = ''
    const socket = connect(Number(new URL(url).port), '127.0.0.1', () => socket.write(bytes))
    socket.on('data', (more) => {
      text += more.toString('latin1')
    })
    socket.on('close', () => {
      const [head = '', body = ''] = text.split('\r\n\r\n')
      const type = /content-type: (.*)/i.exec(head)?.[1] ?? null
      resolve({ status: Number(head.slice(9, 12)), type, body })
    })
  })
