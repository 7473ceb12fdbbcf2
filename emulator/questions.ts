import { type Answer, badlyAnswered, NOT_FOUND } from './answer.ts'
import type { Operation, Where } from './book.ts'
import type { Desk } from './payments.ts'
import { presentStatus } from './present.ts'
import type { Endpoint, Told } from './rules.ts'

const SECOND = 1000
const TOO_MANY: Answer = { status: 429, body: { statusCode: 429, message: 'Rate limit is exceeded.' } }

/** Answers by the rules about an endpoint first, then properly. */
export async function treated(
  desk: Desk,
  { endpoint, ...about }: { endpoint: Exclude<Endpoint, 'submit'> } & Parameters<Desk['rules']['at']>[1],
  proper: () => Answer | Promise<Answer>,
): Promise<Answer> {
  const treatment = desk.rules.at(endpoint, about)
  if (treatment === null) return proper()
  await desk.clock.wait(treatment.delayMs ?? 0)
  return badlyAnswered(treatment) ?? proper()
}

/** A question about a reference. */
export async function tellStatus(desk: Desk, where: Where, operation: Operation): Promise<Answer> {
  const { book, clock, profile, decide, chance } = desk
  if (isCapped(desk)) return TOO_MANY
  if (decide === 'profile') await clock.wait(profile.statusMs(chance))
  const found = book.find(where)
  if (found === undefined || found.operation !== operation) return NOT_FOUND
  if (clock.nowMs() < found.createdMs + (found.rule?.statusLagMs ?? 0)) return NOT_FOUND
  const told: Told = found.rule?.onStatus?.[Math.min(found.asked, found.rule.onStatus.length - 1)] ?? {}
  found.asked += 1
  await clock.wait(told.delayMs ?? 0)
  const badly = badlyAnswered(told)
  if (badly !== null) return badly
  const body = presentStatus(found, told)
  found.told = body.status
  return { status: 200, body }
}

const asked = new WeakMap<Desk, number[]>()

/** The operator answers so many questions a second. */
function isCapped(desk: Desk): boolean {
  if (desk.statusCap === null || desk.world.isOn('without statusCap')) return false
  const now = desk.clock.nowMs()
  const recent = (asked.get(desk) ?? []).filter((at) => at > now - SECOND)
  const isOver = recent.length >= desk.statusCap
  asked.set(desk, isOver ? recent : [...recent, now])
  return isOver
}
