import type { Mode } from '../../src/platform/mode.ts'
import type { Merchant } from '../crash/installation.ts'
import { type Fleet, newKey, postUntilJudged, webOf } from './fleet.ts'

type NewLink = { amount: number; allow_multiple_uses?: boolean }

/** Links of this merchant, made with its key for the mode. */
export function newLinks(
  fleet: Fleet,
  { merchant, mode }: { merchant: Merchant; mode: Mode },
  bodies: readonly NewLink[],
): Promise<string[]> {
  const makeOne = async (body: NewLink, nth: number): Promise<string> => {
    const request = { path: '/v1/payment-links', apiKey: merchant.keys[mode], key: newKey('link'), body }
    const reply = await postUntilJudged(fleet, webOf(fleet, nth), request)
    if (reply.status !== 201) throw new Error(`a link of the race was refused: ${reply.text}`)
    return JSON.parse(reply.text).id
  }
  return Promise.all(bodies.map(makeOne))
}

export type Card = { id: string; code: string }

export async function newCards(
  fleet: Fleet,
  merchant: Merchant,
  { value, quantity }: { value: number; quantity: number },
): Promise<Card[]> {
  const wanted = ['--value', String(value), '--quantity', String(quantity)]
  const made = await fleet.installation.command(['gift-cards', 'issue', merchant.handle, ...wanted])
  if (made.code !== 0) throw new Error(`gift-cards issue: ${made.stderr}`)
  return made.json.cards
}
