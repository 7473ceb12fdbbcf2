import { readFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { startEmulator } from './emulator.ts'
import type { Emulator, EmulatorOptions } from './options.ts'
import { PROFILES, type ProfileName } from './profiles.ts'
import { readRules } from './read-rules.ts'

const HELP = `The operator of op1_momo as a program of its own, for trials and tests.
  --port N            where it listens (default 8090, 0 for any)
  --host ADDRESS      and on which address (default 127.0.0.1)
  --control-port N    its control plane (default 8091, 0 for none)
  --control-host ADDRESS
  --profile NAME      mtnuganda (default), sandbox or bench
  --seed N            start of all randomness; printed, and replays a run
  --clock real|virtual
  --platform old|new
  --rules FILE        a JSON list of rules
  --retries none|short|long   how callbacks are repeated that nobody took
  --callback-host H   a host that callbacks may go to, beside localhost; may be repeated
  --state FILE        the book, kept over a restart`

/** How often the book is written to the state file, so that a killed process loses little. */
const KEEP_EVERY_MS = 1000

const { values } = parseArgs({
  options: {
    port: { type: 'string', default: '8090' },
    host: { type: 'string', default: '127.0.0.1' },
    'control-port': { type: 'string', default: '8091' },
    'control-host': { type: 'string', default: '127.0.0.1' },
    profile: { type: 'string', default: 'mtnuganda' },
    seed: { type: 'string', default: '1' },
    clock: { type: 'string', default: 'real' },
    platform: { type: 'string', default: 'old' },
    rules: { type: 'string' },
    retries: { type: 'string', default: 'none' },
    'callback-host': { type: 'string', multiple: true, default: [] },
    state: { type: 'string' },
    help: { type: 'boolean', default: false },
  },
})

if (values.help) process.stdout.write(`${HELP}\n`)
else await run().catch(refuse)

async function run(): Promise<void> {
  const profile = oneOf('profile', Object.keys(PROFILES) as ProfileName[])
  const controlPort = whole('control-port')
  const emulator = await startEmulator({
    ...{ port: whole('port'), host: values.host, controlHost: values['control-host'], profile },
    ...{ seed: whole('seed'), controlPort: controlPort === 0 ? null : controlPort },
    clock: oneOf('clock', ['real', 'virtual']),
    platform: oneOf('platform', ['old', 'new']),
    retries: oneOf('retries', ['none', 'short', 'long']),
    decide: profile === 'bench' ? 'at once' : 'profile',
    callbackHosts: values['callback-host'],
    ...(values.rules === undefined ? {} : { rules: readRules(JSON.parse(readFileSync(values.rules, 'utf8'))) }),
    ...(values.state === undefined ? {} : { stateFile: values.state }),
  } satisfies EmulatorOptions)
  introduce(emulator, profile)
  if (values.state !== undefined) setInterval(() => emulator.keep(), KEEP_EVERY_MS).unref()
  for (const signal of ['SIGINT', 'SIGTERM'] as const)
    process.once(signal, () => {
      sayStats(emulator)
      void emulator.close().then(() => process.exit(0))
    })
}

/** What a measurement beside it needs to know: one is void when the loop of the emulator was late. */
function sayStats(emulator: Emulator): void {
  const { requests, perSecond, cpuShare, loopDelayP99Ms } = emulator.stats()
  const busy = `CPU share ${cpuShare.toFixed(2)}, loop delay p99 ${loopDelayP99Ms.toFixed(1)} ms`
  process.stdout.write(`served       ${requests} requests, ${perSecond}/s on average, ${busy}\n`)
}

function introduce({ url, controlUrl, seed, targetEnvironment, currency }: Emulator, profile: string): void {
  const lines = [
    `operator     ${url}  profile ${profile}, environment ${targetEnvironment}, currency ${currency}`,
    controlUrl === null ? 'control      none' : `control      ${controlUrl}`,
    controlUrl === null ? null : `credentials  GET ${controlUrl}/credentials`,
    `seed         ${seed}`,
  ]
  for (const line of lines) if (line !== null) process.stdout.write(`${line}\n`)
}

function whole(name: 'port' | 'control-port' | 'seed'): number {
  if (/^[0-9]{1,10}$/.test(values[name])) return Number(values[name])
  throw new Error(`--${name} is a whole number`)
}

function oneOf<const Choice extends string>(
  name: 'profile' | 'clock' | 'platform' | 'retries',
  choices: readonly Choice[],
): Choice {
  const found = choices.find((choice) => choice === values[name])
  if (found === undefined) throw new Error(`--${name} is ${choices.join(', ')}`)
  return found
}

/** Says what is wrong and ends: with the control plane's port in use, the operator's would be open already. */
function refuse({ message, code, address, port }: Error & Partial<Record<'code' | 'address' | 'port', unknown>>): void {
  const inUse = `port ${port} of ${address} is in use: stop the program that listens there, or give another --port or --control-port`
  process.stderr.write(`${code === 'EADDRINUSE' ? inUse : message}\n`, () => process.exit(2))
}
