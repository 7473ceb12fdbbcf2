import { hash } from 'node:crypto'
import type { Logger } from 'pino'
import type { Actor } from '../../api/access/actor.ts'
import { allow } from '../../api/access/allow.ts'
import { newAddressWindow } from '../../api/rate-limits/address-window.ts'
import type { ShopFinder } from '../../merchants/account/shops.ts'
import { bringChargeForward } from '../../payments/charges/charge-mover.ts'
import { bringPayoutForward } from '../../payments/payouts/sending/payout-mover.ts'
import { bringTopUpForward } from '../../payments/top-ups/write-top-ups.ts'
import { assert } from '../../platform/assert.ts'
import { count as counted } from '../../platform/log/measures.ts'
import { Refusal } from '../../platform/refusal.ts'
import { parseTagOfAnyPrefix } from '../../platform/text/ids.ts'
import type { Clock } from '../../platform/time/clock.ts'
import type { App, Gateway } from '../../program/app.ts'
import { digestCallbackToken } from '../../rails/callback-token.ts'
import { noteCallback, type OperatorCallback } from '../../rails/callbacks.ts'
import { hearOwnPost } from '../../rails/following/own-posts.ts'

/** The parts that find the attempt of a callback. */
export type RailCallbacks = { gateway: () => Gateway; shops: ShopFinder; clock: Clock; log: Logger }

/** A callback of an operator as it came. `about`: what the first part of its path names. */
type RailCallback = { actor: Actor; about: string; token: string; body: Buffer | null; address: string }
/** Whose attempt it is about: a movement, or in an address that an earlier release gave, only a merchant. */
type CallbackOwner = { tag: string; subject: string | null }

const TAG = /^[a-z0-9]{5}$/
const TOKEN = /^[\w-]{43}$/
/** For each prefix: the statement that brings the next question forward, and the task that asks it. */
const FOLLOWERS: Record<string, { sooner: OperatorCallback['sooner']; sweep: Parameters<App['nudge']>[0] }> = {
  txn: { sooner: bringChargeForward, sweep: 'follow-charges' },
  pout: { sooner: bringPayoutForward, sweep: 'send-payouts' },
  top: { sooner: bringTopUpForward, sweep: 'follow-top-ups' },
}
/** The follower of a movement: how to bring its next question forward, and the task that asks it. */
export const followerOf = (id: string) => {
  const follower = FOLLOWERS[id.slice(0, id.indexOf('_'))]
  assert(follower, `somebody carries movements like ${id}`)
  return follower
}
const sooner: OperatorCallback['sooner'] = (movement, at) => followerOf(movement.id).sooner(movement, at)
// Callbacks that are written at the same time; further hints are dropped.
const MAX_CALLBACKS_AT_ONCE = 256
const UNKNOWN_A_MINUTE = 60

/**
 * Takes callbacks of the operator: a hint to ask now, never an answer (rails.md 4.3). Every caller gets the same response before anything
 * is looked up, so that no response reveals which tokens exist. `idle` waits for what is under way.
 */
export function railCallbacks({ gateway, shops, clock, log }: RailCallbacks): {
  take(callback: RailCallback): void
  idle(): Promise<void>
} {
  const working = new Set<Promise<void>>()
  const unknown = newAddressWindow(UNKNOWN_A_MINUTE)

  /** False while too many callbacks from this address had no attempt: then nothing is looked up. */
  function mayLookUp(address: string): boolean {
    try {
      unknown.check(address, clock.nowMs())
      return true
    } catch (error) {
      if (error instanceof Refusal) return false
      throw error
    }
  }

  async function handle({ actor, token, body, address }: RailCallback, { tag, subject }: CallbackOwner): Promise<void> {
    allow(actor, 'callback.receive')
    const shop = await shops.locate(gateway(), tag)
    const bodySha256 = body === null ? null : hash('sha256', body, 'hex')
    if (shop === null) return countUnknown(address)
    const { app, merchantId } = shop
    const heard = { merchantId, subject, digest: digestCallbackToken(token), bodySha256, sooner }
    const store = async () => {
      const id = await noteCallback(app, heard)
      if (id === null) countUnknown(address)
      else app.nudge(followerOf(id).sweep)
    }
    if (!hearOwnPost(app, heard, store)) await store()
  }

  function countUnknown(address: string): void {
    try {
      counted('signature_failures_total', 'operator')
      unknown.take(address, clock.nowMs())
    } catch (error) {
      if (!(error instanceof Refusal)) throw error
    }
  }

  return {
    take(callback) {
      const owner = parseOwner(callback.about)
      if (owner === null || !TOKEN.test(callback.token)) return countUnknown(callback.address)
      if (working.size >= MAX_CALLBACKS_AT_ONCE || !mayLookUp(callback.address)) return
      const work = handle(callback, owner)
        .catch((error) => log.warn({ err: error }, 'a callback of an operator was not noted; it is asked anyway'))
        .finally(() => working.delete(work))
      working.add(work)
    },
    async idle() {
      await Promise.all(working)
    },
  }
}

function parseOwner(about: string): CallbackOwner | null {
  if (TAG.test(about)) return { tag: about, subject: null }
  const tag = parseTagOfAnyPrefix(about)
  return tag === null ? null : { tag, subject: about }
}
