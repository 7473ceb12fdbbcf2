import type { Gateway } from '../app.ts'
import { readPhone } from '../platform/phone.ts'
import { domainRefusal } from '../platform/refusal.ts'
import type { Op1Rail } from '../rails/op1-momo/adapter.ts'
import { type Checked, checkLine } from '../rails/op1-momo/check.ts'
import { NotProvisioned, provisionUser } from '../rails/op1-momo/provision.ts'
import { command, factLines } from './command.ts'
import { optionalText, required } from './input.ts'
import { WrongUsage } from './wrong-usage.ts'

const lineOf = ({ installation, product, check, ok, says }: Checked) =>
  `${ok ? 'ok     ' : 'MISSING'} ${installation} ${product.padEnd(12)} ${check.padEnd(8)} ${says}`

const check = command({
  usage: 'rails check [--phone P]',
  says: 'try every credential of every contract with the operator, and name what is missing; no money moves',
  async run(input) {
    const rail = railOf(input.gateway)
    const given = optionalText(input, 'phone')
    const phone = given === undefined ? null : readPhone(given)
    if (given !== undefined && phone === null)
      throw new WrongUsage('--phone does not look like a phone number')
    const checks: Checked[] = []
    for (const line of rail.lines) checks.push(...(await checkLine(line, input.gateway.clock, phone)))
    const ok = checks.every((one) => one.ok)
    return { json: { ok, checks }, lines: checks.map(lineOf), exitCode: ok ? 0 : 1 }
  },
})

const SANDBOX = 'https://sandbox.momodeveloper.mtn.com'

const provision = command({
  usage: 'rails provision --subscription-key K --callback-host H [--base-url U]',
  says: "make a user on the operator's own sandbox, for OP1_INSTALLATIONS",
  async run(input) {
    const made = await provisionUser({
      baseUrl: optionalText(input, 'base-url') ?? SANDBOX,
      subscriptionKey: required(input, 'subscription-key'),
      callbackHost: required(input, 'callback-host'),
    }).catch((error) => {
      if (error instanceof NotProvisioned) throw domainRefusal('not_provisioned', error.message)
      throw error
    })
    const facts = { user: made.user, secret: made.secret, target_environment: made.targetEnvironment }
    return { json: facts, lines: factLines(facts, 20) }
  },
})

function railOf({ op1 }: Gateway): Op1Rail {
  if (op1 === null)
    throw domainRefusal('rail_not_configured', 'OP1_INSTALLATIONS names no contract with the operator')
  return op1
}

export const railCommands = [check, provision]
