import type { BulkItem } from '../bulk/bulk-item.ts'
import type { PayoutCreate } from '../payout-request.ts'
import type { StoredPrepared } from './prepared-payout.ts'
import type { SubaccountPayoutRequest } from './request-subaccount-payout.ts'

/** One recipient of a prepared payout, as the approver must see it. `problem`: why a line of a bulk call cannot be read. */
export type PreparedLine = {
  line: number
  phone: string | null
  name: string | null
  amount: number | null
  reference: string | null
  problem: string | null
}

type StoredScheduleRequest = {
  amount: number
  interval: string
  name?: string
  start_at?: string
  max_per_recipient?: number
  recipients: { phone: string; name?: string; reference?: string }[]
}

/** The terms of a prepared schedule that an approver must see besides its recipients. */
type PreparedSchedule = {
  interval: string
  name: string | null
  startAt: Date | null
  maxPerRecipient: number | null
}

/** Parses the terms of a prepared schedule; null for another kind. */
export function parsePreparedSchedule({
  kind,
  request,
}: Pick<StoredPrepared, 'kind' | 'request'>): PreparedSchedule | null {
  if (kind !== 'schedule') return null
  // The bytes were written from a value of this kind.
  const {
    interval,
    name,
    start_at: start,
    max_per_recipient: most,
  } = JSON.parse(request.toString()) as StoredScheduleRequest
  const startAt = start === undefined ? null : new Date(start)
  return { interval, name: name ?? null, startAt, maxPerRecipient: most ?? null }
}

/** Parses the subaccount whose money a prepared pay-out sends; null where the merchant's own balance pays. */
export function parsePreparedSubaccount({ kind, request }: Pick<StoredPrepared, 'kind' | 'request'>): string | null {
  if (kind !== 'subaccount') return null
  // The bytes were written from a value of this kind.
  return (JSON.parse(request.toString()) as SubaccountPayoutRequest).subaccount
}

/** Parses the recipients that the stored bytes would pay, in their order: at most a thousand. */
export function parsePreparedLines({ kind, request }: Pick<StoredPrepared, 'kind' | 'request'>): PreparedLine[] {
  // The bytes were written from a value of this kind.
  const stored: unknown = JSON.parse(request.toString())
  switch (kind) {
    case 'payout': {
      const { amount, recipient, reference } = stored as PayoutCreate
      return [buildLine(1, { amount, ...recipient, reference })]
    }
    case 'subaccount': {
      const { amount, phone, name } = stored as SubaccountPayoutRequest
      return [buildLine(1, { amount, phone, name })]
    }
    case 'schedule': {
      const { amount, recipients } = stored as StoredScheduleRequest
      return recipients.map((recipient, index) => buildLine(index + 1, { amount, ...recipient }))
    }
    case 'bulk':
      return (stored as BulkItem[]).map((item, index) =>
        item.ok ? buildLine(index + 1, item) : unreadableLine(index + 1, item),
      )
  }
}

type LineInput = {
  amount: number
  phone: string
  name?: string | null | undefined
  reference?: string | null | undefined
}

const buildLine = (line: number, { amount, phone, name, reference }: LineInput): PreparedLine => ({
  ...{ line, phone, amount, problem: null },
  name: name ?? null,
  reference: reference ?? null,
})

const unreadableLine = (line: number, { reference, error }: Extract<BulkItem, { ok: false }>): PreparedLine => ({
  ...{ line, phone: null, name: null, amount: null, reference, problem: error },
})
