import type { InstallationChoice } from '../installation-choice.ts'
import type {
  ChargeFailure,
  Deadline,
  Evidence,
  Movement,
  PayoutFailure,
  Rail,
  RailSide,
  Unavailable,
} from '../rail.ts'
import { presentInstallation } from './installation.ts'
import { gateEvidence, type Line, type Op1Parts, openLine } from './line.ts'
import { ask, balance, lookUp, probe } from './questions.ts'
import { WHY } from './read-submit.ts'
import { noLaterThan, submitThrough } from './submit.ts'
import { openWire } from './transport.ts'

/** The live rail with its background work. */
export type Op1Rail = Rail & {
  lines: readonly Line[]
  choice: InstallationChoice
  /** Fetches tokens ahead and keeps them fresh, and probes an operator that did not answer, until `close`. */
  start(): void
  close(): Promise<void>
}

const SECOND = 1000
const TEND_MS = 5 * SECOND
const PERSON_SECONDS = 60
const NO_TOKEN_SECONDS = 5

/** Opens the rail `op1_momo` on the operator's public API (rails.md section 3). */
export function op1Momo(parts: Op1Parts): Op1Rail {
  const { installations } = parts
  const wires = installations.map((own) => ({ own, wire: openWire(own) }))
  const lines = wires.flatMap(({ own, wire }) =>
    (['collect', 'disburse'] as const).flatMap((side) => openLine(parts, wire, { own, side }) ?? []),
  )
  const lineOf: FindLine = (side, installation) => {
    const id = installation ?? parts.choice.of(side)
    return lines.find((line) => line.side === side && (id === null ? line.own.active : line.own.id === id))
  }
  let timer: NodeJS.Timeout | null = null
  return {
    name: 'op1_momo',
    simulated: false,
    lines,
    choice: parts.choice,
    // Read each time, because a choice may change which installation takes new movements.
    get installations() {
      return installations
        .map(presentInstallation)
        .map((installation) => ({
          ...installation,
          active: installation.sides.some((side) => lineOf(side)?.own.id === installation.id),
        }))
        .sort((a, b) => Number(b.active) - Number(a.active))
    },
    ...abilities(parts, lines, lineOf),
    balance: (side, deadline, installation) => balance(parts, lineOf(side, installation), deadline),
    readiness: (side, deadline, installation) => readiness(parts, lineOf(side, installation), deadline),
    start() {
      tend(parts, lines)
      timer ??= setInterval(() => tend(parts, lines), TEND_MS).unref()
    },
    async close() {
      if (timer !== null) clearInterval(timer)
      await Promise.all(wires.map(({ wire }) => wire.close()))
    },
  }
}

type FindLine = (side: RailSide, installation?: string) => Line | undefined

/** Builds the functions of the rail for the sides that some installation has credentials for. */
function abilities(
  parts: Op1Parts,
  lines: readonly Line[],
  lineOf: FindLine,
): Pick<Rail, 'collect' | 'disburse' | 'lookupAccountHolder'> {
  const can = (side: RailSide) => lines.some((line) => line.side === side)
  return {
    ...(can('collect') ? { collect: movement<ChargeFailure>(parts, (id) => lineOf('collect', id)) } : {}),
    ...(can('disburse')
      ? {
          disburse: movement<PayoutFailure>(parts, (id) => lineOf('disburse', id)),
          lookupAccountHolder: (phone, deadline) => lookUp(parts, lineOf('disburse'), phone, deadline),
        }
      : {}),
  }
}

const movement = <Failure>(
  parts: Op1Parts,
  find: (installation: string) => Line | undefined,
): Movement<Failure> => ({
  async submit(attempt, deadline) {
    const line = find(attempt.installation)
    if (!line) return unavailable('person', WHY.notConfigured, PERSON_SECONDS, gateEvidence(parts, 'submit'))
    return submitThrough<Failure>(
      parts,
      line,
      attempt,
      noLaterThan(deadline, line.own.timeouts.submit * SECOND),
    )
  },
  async status(attempt, deadline) {
    const line = find(attempt.installation)
    if (!line) return { kind: 'unknown', evidence: gateEvidence(parts, 'status') }
    return ask<Failure>(parts, line, attempt, deadline)
  },
})

function tend(parts: Op1Parts, lines: readonly Line[]): void {
  for (const line of lines) {
    line.token.tend()
    if (line.breaker.takeProbe()) void probe(parts, line)
  }
}

const unavailable = (
  cure: Unavailable['cure'],
  why: string,
  retryAfterSeconds: number,
  evidence: Evidence,
): Unavailable => ({ kind: 'unavailable', cure, why, retryAfterSeconds, evidence })

/** Checks configuration, breaker and the token in hand; waits at most for a token refresh that is under way (rails.md 1.3). */
async function readiness(
  parts: Op1Parts,
  line: Line | undefined,
  deadline: Deadline,
): Promise<{ kind: 'ready'; installation: string } | Unavailable> {
  if (!line) return unavailable('person', WHY.notConfigured, PERSON_SECONDS, gateEvidence(parts, 'ready'))
  if (line.breaker.takeProbe()) void probe(parts, line)
  const admission = line.breaker.admits()
  if (admission.kind === 'no')
    return unavailable(
      'wait',
      'the operator does not answer',
      admission.retryAfterSeconds,
      gateEvidence(parts, 'ready', 'BREAKER'),
    )
  const token = await line.token.get(deadline)
  if (token.kind === 'token') return { kind: 'ready', installation: line.own.id }
  const evidence = gateEvidence(parts, 'ready', 'NO_TOKEN')
  if (token.cure === 'wait') return unavailable('wait', 'no token', NO_TOKEN_SECONDS, evidence)
  line.tell('refused', `the operator refuses the credentials of ${line.own.id} for ${line.product}`)
  return unavailable('person', WHY.credentials, PERSON_SECONDS, evidence)
}
