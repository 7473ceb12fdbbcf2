import type { Transaction } from './book.ts'
import type { Calls, Told } from './rules.ts'

/** A status answer: fields are there when they are known (rails.md 3.5). */
export function presentStatus(transaction: Transaction, told: Told) {
  const { rule } = transaction
  const { lies } = told
  const status = told.status ?? transaction.status
  const reason = told.reason ?? (told.status === undefined ? transaction.reason : null)
  const id = transaction.financialTransactionId
  const party = { partyIdType: 'MSISDN', partyId: lies?.party ?? transaction.phone }
  const amount = lies?.amount ?? String(transaction.amount)
  return {
    ...(id === null ? {} : { financialTransactionId: rule?.numbers ? Number(id) : id }),
    externalId: lies?.externalId ?? transaction.externalId,
    amount: rule?.numbers ? Number(amount) : amount,
    currency: lies?.currency ?? transaction.currency,
    [transaction.product === 'collection' ? 'payer' : 'payee']: party,
    payerMessage: transaction.payerMessage,
    payeeNote: transaction.payeeNote,
    status,
    ...(reason === null ? {} : { reason: rule?.reasonAsObject ? { code: reason, message: reason } : reason }),
  }
}

/** What a callback says; a lying one says something else than the book. */
export function presentCallback(transaction: Transaction, { status, amount }: Calls): object {
  const told = status === undefined ? {} : { status }
  const lies = amount === undefined ? {} : { lies: { amount } }
  return presentStatus(transaction, { ...told, ...lies })
}
