import { randomBytes } from 'node:crypto'

/** What the load generator can post, by its path. */
export type Post = '/v1/charges' | '/v1/payouts' | '/v1/payouts/bulk'

/** How many people one bulk call pays: the most that are allowed. */
export const BULK_ITEMS = 1000

const RUN = randomBytes(6).toString('hex')
let serial = 0

const BODIES: Record<Post, () => string> = {
  '/v1/charges': charge,
  '/v1/payouts': payout,
  '/v1/payouts/bulk': bulk,
}

/** The rest of a POST after its first headers: a new key and a new body. */
export function restOfPost(post: Post): string {
  const body = BODIES[post]()
  const time = Math.floor((performance.timeOrigin + performance.now()) / 1000)
  return `X-Timestamp: ${time}\r\nIdempotency-Key: ${nextName()}\r\nContent-Length: ${body.length}\r\n\r\n${body}`
}

function nextName(): string {
  serial += 1
  return `${RUN}-${serial}`
}

const between = (least: number, most: number) => least + Math.floor(Math.random() * (most - least))
const phone = () => `0772${String(between(0, 1_000_000)).padStart(6, '0')}`

function charge(): string {
  const amount = between(1000, 201_000)
  return `{"amount":${amount},"currency":"UGX","channel":"op1_momo","customer":{"phone":"${phone()}"},"reference":"INV-${nextName()}"}`
}

// Small amounts, so that the account is not empty before the end.
function payout(): string {
  const amount = between(500, 1500)
  return `{"amount":${amount},"currency":"UGX","channel":"op1_momo","recipient":{"phone":"${phone()}","name":"A. Person"},"reference":"PAY-${nextName()}"}`
}

function bulk(): string {
  return `{"payouts":[${Array.from({ length: BULK_ITEMS }, payout).join(',')}]}`
}
