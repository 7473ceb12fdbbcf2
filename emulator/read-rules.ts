import { SWITCHES, type Switch } from './checks.ts'
import { FAULT_NAMES, type FaultName, type FaultParams, isTrouble, RULE_FAULTS, type RuleFault } from './faults.ts'
import type { Rule } from './rules.ts'

const TREATMENT = ['delayMs', 'wire', 'http', 'record', 'bytesPerSecond', 'firstOnly']
/** The fields that each part of a rule may have. A word that nobody reads is a mistake of the writer. */
const FIELDS: Record<string, readonly string[]> = {
  match: ['product', 'operation', 'phone', 'amount', 'externalIdPrefix', 'reference', 'nth', 'probability'],
  onSubmit: TREATMENT,
  onStatus: [...TREATMENT, 'status', 'reason', 'lies'],
  resolve: ['afterMs', 'status', 'reason'],
  callbacks: ['afterMs', 'times', 'gapMs', 'method', 'status', 'amount', 'stranger', 'early'],
  reversal: ['first', 'afterMs'],
  trouble: ['name', 'params', 'forMs'],
  on: ['status', 'token', 'lookup', 'balance'],
  token: ['ttlSeconds'],
}
const PLAIN = [...['count', 'executeTwice', 'statusLagMs', 'reasonAsObject', 'numbers', 'initial', 'place', 'switches']]
const WRITTEN = [...Object.keys(FIELDS), ...PLAIN, 'fault', 'params']

/** Rules as a file or the control plane writes them: `fault` and `params` stand for what that fault makes of a payment. */
export function readRules(given: unknown): Rule[] {
  if (!Array.isArray(given)) throw new Error('rules are a list')
  return given.map((one, nth) => readRule(objectIn(one, `rule ${nth + 1}`), `rule ${nth + 1}`))
}

function readRule({ fault, params, ...rest }: Record<string, unknown>, name: string): Rule {
  refuseOthers({ fault, params, ...rest }, WRITTEN, name)
  for (const [part, fields] of Object.entries(FIELDS)) {
    const value = rest[part]
    for (const one of Array.isArray(value) ? value : value === undefined || value === 'never' ? [] : [value])
      refuseOthers(objectIn(one, `${part} of ${name}`), fields, `${part} of ${name}`)
  }
  for (const wanted of (rest.switches ?? []) as unknown[]) readSwitch(wanted)
  if (fault === undefined) return rest
  const known = readFault(fault)
  if (isTrouble(known)) throw new Error(`${known} is no rule about a payment: use "trouble", or POST fault`)
  return { ...RULE_FAULTS[known satisfies RuleFault]((params ?? {}) as FaultParams), ...rest }
}

function refuseOthers(given: Record<string, unknown>, fields: readonly string[], name: string): void {
  const unknown = Object.keys(given).filter((field) => given[field] !== undefined && !fields.includes(field))
  if (unknown.length > 0) throw new Error(`${name} has no field ${unknown[0]}; it may have ${fields.join(', ')}`)
}

function objectIn(given: unknown, name: string): Record<string, unknown> {
  if (typeof given !== 'object' || given === null) throw new Error(`${name} is an object`)
  return given as Record<string, unknown>
}

/** The name of a fault, or a sentence that there is none. */
export function readFault(given: unknown): FaultName {
  const name = String(given)
  if (FAULT_NAMES.includes(name)) return name as FaultName
  throw new Error(`there is no fault called ${name}; there are ${FAULT_NAMES.join(', ')}`)
}

export function readSwitch(given: unknown): Switch {
  const found = SWITCHES.find((one) => one === given)
  if (found === undefined)
    throw new Error(`there is no switch called ${String(given)}; there are ${SWITCHES.join(', ')}`)
  return found
}
