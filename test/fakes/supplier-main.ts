import { parseArgs } from 'node:util'
import { COMMAND_HOWS, type Command, startSupplier } from './supplier.ts'
import { CALLBACK_KINDS, type CallbackKind, callbackOf, postCallback } from './supplier-callbacks.ts'

const USAGE = `usage: npm run supplier -- [--port N] [--machine NUMBER=HOW ...] [--gateway URL --report KIND [--after MS]]

A supplier of vending machines on 127.0.0.1, for trying live orders without machines. It accepts every command, prints it, and
with --report says after a while what became of it, signed with its own secret.

  --port      where it listens (9100)
  --key, --secret, --shbh
              what the merchant enters (supplier-key, supplier-s3cr3t, M1)
  --machine   how it treats one machine, or all with *=HOW:
              ${COMMAND_HOWS.join(', ')}
  --gateway   the address of the service, http://127.0.0.1:8080
  --report    ${CALLBACK_KINDS.join(', ')}
  --after     how long the machine takes, in ms (2000)

Start the service with SUPPLIER_ALLOW_PRIVATE=127.0.0.1:9100, and tell it of the supplier:
  npm run -s gateway -- vending set <m> --base-url http://127.0.0.1:9100 --key supplier-key --secret supplier-s3cr3t --shbh M1
`

const { values } = parseArgs({
  options: {
    help: { type: 'boolean' },
    port: { type: 'string', default: '9100' },
    key: { type: 'string', default: 'supplier-key' },
    secret: { type: 'string', default: 'supplier-s3cr3t' },
    shbh: { type: 'string', default: 'M1' },
    machine: { type: 'string', multiple: true, default: [] },
    gateway: { type: 'string', default: 'http://127.0.0.1:8080' },
    report: { type: 'string' },
    after: { type: 'string', default: '2000' },
  },
})
const say = (line: string) => process.stdout.write(`${line}\n`)

async function main(): Promise<void> {
  if (values.help) return void say(USAGE)
  const report = values.report === undefined ? null : oneOf(values.report, CALLBACK_KINDS)
  const { port, key, secret, shbh } = values
  const supplier = await startSupplier({ port: Number(port), key, secret, shbh })
  for (const one of values.machine) {
    const [machine = '', how = ''] = one.split('=')
    supplier.behave(oneOf(how, COMMAND_HOWS), machine === '*' ? '' : machine)
  }
  supplier.onAccepted((command) => {
    say(`command for ${command.machine}: order ${command.orderId}, charge ${command.chargeId}`)
    if (report !== null) setTimeout(() => send(report, command).catch(fail), Number(values.after))
  })
  say(`a supplier of machines listens at ${supplier.url}; --help says how to use it`)
}

async function send(kind: CallbackKind, { machine, orderId, chargeId, body }: Command): Promise<void> {
  const goods = body.orderDTO.orderGoodsDetailList
  const at = Math.floor(performance.timeOrigin + performance.now())
  const callback = callbackOf(kind, { at, secret: values.secret, machine, orderId, chargeId, goods })
  const answer = await postCallback(values.gateway, callback)
  say(`reported ${kind} of ${orderId}: ${answer.status} ${answer.text}`)
}

function oneOf<T extends string>(given: string, choices: readonly T[]): T {
  const found = choices.find((choice) => choice === given)
  if (found === undefined) throw new Error(`${given} is none of ${choices.join(', ')}\n\n${USAGE}`)
  return found
}

function fail(error: unknown): void {
  process.stderr.write(`${error instanceof Error ? error.message : error}\n`)
  process.exitCode = 1
}

main().catch(fail)
