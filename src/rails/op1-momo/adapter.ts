import type { ConfiguredRail, LineCheck } from '../configured-rail.ts'
import type {
  AnswerEvidence,
  CallDeadline,
  ChargeFailure,
  MovementRail,
  PayoutFailure,
  Rail,
  RailSide,
  Unavailable,
} from '../rail.ts'
import { checkLine } from './check-line.ts'
import { describeInstallation } from './installation.ts'
import { buildGateEvidence, type Op1Line, type Op1Parts, openLine } from './line.ts'
import { UNAVAILABLE_REASONS } from './parse-submit.ts'
import { askStatus, lookUpHolder, probe, readFloat } from './questions.ts'
import { noLaterThan, submitThrough } from './submit.ts'
import { openWire } from './transport.ts'

const SECOND_MS = 1000
const TEND_EVERY_MS = 5 * SECOND_MS
const RETRY_AFTER_PERSON_SECONDS = 60
const RETRY_WITHOUT_TOKEN_SECONDS = 5

/** Opens the rail `op1_momo` on the operator's public API (rails.md section 3). */
export function openOp1Rail(parts: Op1Parts): ConfiguredRail {
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
    settings: installations.map(describeInstallation),
    // Read each time, because a choice may change which installation takes new movements.
    get installations() {
      return installations
        .map(describeInstallation)
        .map((installation) => ({
          ...installation,
          active: installation.sides.some((side) => lineOf(side)?.own.id === installation.id),
        }))
        .sort((a, b) => Number(b.active) - Number(a.active))
    },
    ...buildAbilities(parts, lines, lineOf),
    balance: (side, deadline, installation) => readFloat(parts, lineOf(side, installation), deadline),
    readiness: (side, deadline, installation) => checkReadiness(parts, lineOf(side, installation), deadline),
    refreshChoice: () => parts.choice.refresh(),
    checkLines: (phone) => checkLines(parts, lines, phone),
    readTokens: () =>
      lines.map(({ own, product, token }) => ({ installation: own.id, product, endsAt: token.endsAt() })),
    start() {
      tendLines(parts, lines)
      timer ??= setInterval(() => tendLines(parts, lines), TEND_EVERY_MS).unref()
    },
    async close() {
      if (timer !== null) clearInterval(timer)
      await Promise.all(wires.map(({ wire }) => wire.close()))
    },
  }
}

type FindLine = (side: RailSide, installation?: string) => Op1Line | undefined

/** Builds the functions of the rail for the sides that some installation has credentials for. */
function buildAbilities(
  parts: Op1Parts,
  lines: readonly Op1Line[],
  lineOf: FindLine,
): Pick<Rail, 'collect' | 'disburse' | 'lookupAccountHolder'> {
  const can = (side: RailSide) => lines.some((line) => line.side === side)
  return {
    ...(can('collect') ? { collect: buildMovementRail<ChargeFailure>(parts, (id) => lineOf('collect', id)) } : {}),
    ...(can('disburse')
      ? {
          disburse: buildMovementRail<PayoutFailure>(parts, (id) => lineOf('disburse', id)),
          lookupAccountHolder: (phone, deadline) => lookUpHolder(parts, lineOf('disburse'), phone, deadline),
        }
      : {}),
  }
}

const buildMovementRail = <Failure>(
  parts: Op1Parts,
  find: (installation: string) => Op1Line | undefined,
): MovementRail<Failure> => ({
  async submit(attempt, deadline) {
    const line = find(attempt.installation)
    if (!line)
      return unavailableWith(
        'person',
        UNAVAILABLE_REASONS.notConfigured,
        RETRY_AFTER_PERSON_SECONDS,
        buildGateEvidence(parts, 'submit'),
      )
    return submitThrough<Failure>(parts, line, attempt, noLaterThan(deadline, line.own.timeouts.submit * SECOND_MS))
  },
  async status(attempt, deadline) {
    const line = find(attempt.installation)
    if (!line) return { kind: 'unknown', evidence: buildGateEvidence(parts, 'status') }
    return askStatus<Failure>(parts, line, attempt, deadline)
  },
})

/** Checks one line after the other, so that an operator never gets a burst of them. */
async function checkLines(parts: Op1Parts, lines: readonly Op1Line[], phone: string | null): Promise<LineCheck[]> {
  const checks: LineCheck[] = []
  for (const line of lines) checks.push(...(await checkLine(line, parts.clock, phone)))
  return checks
}

function tendLines(parts: Op1Parts, lines: readonly Op1Line[]): void {
  for (const line of lines) {
    line.token.tend()
    if (line.breaker.takeProbe()) void probe(parts, line)
  }
}

const unavailableWith = (
  cure: Unavailable['cure'],
  why: string,
  retryAfterSeconds: number,
  evidence: AnswerEvidence,
): Unavailable => ({ kind: 'unavailable', cure, why, retryAfterSeconds, evidence })

/** Checks configuration, breaker and the token in hand; waits at most for a token refresh that is under way (rails.md 1.3). */
async function checkReadiness(
  parts: Op1Parts,
  line: Op1Line | undefined,
  deadline: CallDeadline,
): Promise<{ kind: 'ready'; installation: string } | Unavailable> {
  if (!line)
    return unavailableWith(
      'person',
      UNAVAILABLE_REASONS.notConfigured,
      RETRY_AFTER_PERSON_SECONDS,
      buildGateEvidence(parts, 'ready'),
    )
  if (line.breaker.takeProbe()) void probe(parts, line)
  const admission = line.breaker.admits()
  if (admission.kind === 'no')
    return unavailableWith(
      'wait',
      'the operator does not answer',
      admission.retryAfterSeconds,
      buildGateEvidence(parts, 'ready', 'BREAKER'),
    )
  const token = await line.token.get(deadline)
  if (token.kind === 'token') return { kind: 'ready', installation: line.own.id }
  const evidence = buildGateEvidence(parts, 'ready', 'NO_TOKEN')
  if (token.cure === 'wait') return unavailableWith('wait', 'no token', RETRY_WITHOUT_TOKEN_SECONDS, evidence)
  line.raise('refused', `the operator refuses the credentials of ${line.own.id} for ${line.product}`)
  return unavailableWith('person', UNAVAILABLE_REASONS.credentials, RETRY_AFTER_PERSON_SECONDS, evidence)
}
