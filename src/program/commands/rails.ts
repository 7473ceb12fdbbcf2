import { checkRails } from '../../operations/investigation/rail-checks.ts'
import { domainRefusal } from '../../platform/refusal.ts'
import { explainInvalidPhone, parsePhone } from '../../platform/text/phone.ts'
import type { LineCheck } from '../../rails/configured-rail.ts'
import { NotProvisioned, provisionUser } from '../../rails/op1-momo/provision.ts'
import { command, formatFacts } from './frame/command.ts'
import { findText, requireText } from './frame/input.ts'
import { WrongUsage } from './frame/wrong-usage.ts'

const formatCheck = ({ installation, product, check, ok, says }: LineCheck) =>
  `${ok ? 'ok     ' : 'MISSING'} ${installation} ${product.padEnd(12)} ${check.padEnd(8)} ${says}`

const check = command({
  usage: 'rails check [--phone P]',
  says: 'try every credential of every contract with the operator, and name what is missing; no money moves',
  async run(input) {
    const phoneText = findText(input, 'phone')
    const phone = phoneText === undefined ? null : parsePhone(phoneText)
    if (phoneText !== undefined && phone === null)
      throw new WrongUsage(`--phone does not look like a phone number${explainInvalidPhone(phoneText)}`)
    const checks = await checkRails(input.gateway, input.actor, phone)
    const ok = checks.every((result) => result.ok)
    return { json: { ok, checks }, lines: checks.map(formatCheck), exitCode: ok ? 0 : 1 }
  },
})

const SANDBOX_URL = 'https://sandbox.momodeveloper.mtn.com'

const provision = command({
  usage: 'rails provision --subscription-key K --callback-host H [--base-url U]',
  says: "make a user on the operator's own sandbox, for OP1_INSTALLATIONS",
  async run(input) {
    const made = await provisionUser({
      baseUrl: findText(input, 'base-url') ?? SANDBOX_URL,
      subscriptionKey: requireText(input, 'subscription-key'),
      callbackHost: requireText(input, 'callback-host'),
    }).catch((error) => {
      if (error instanceof NotProvisioned) throw domainRefusal('not_provisioned', error.message)
      throw error
    })
    const facts = { user: made.user, secret: made.secret, target_environment: made.targetEnvironment }
    return { json: facts, lines: formatFacts(facts, 20) }
  },
})

export const railCommands = [check, provision]
