import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import type { Book, Transaction } from './book.ts'

type Kept = { transactions: Transaction[]; burnt: string[]; wallets: [string, number][] }

/** Writes the book to a file, so that a later start goes on with it. */
export function keepState(file: string, book: Book): void {
  const kept: Kept = {
    transactions: [...book.transactions.values()],
    burnt: [...book.burnt],
    wallets: [...book.wallets],
  }
  writeFileSync(file, JSON.stringify(kept))
}

export function readState(file: string, book: Book): void {
  if (!existsSync(file)) return
  const kept = JSON.parse(readFileSync(file, 'utf8')) as Kept
  for (const one of kept.transactions) book.transactions.set(one.reference, one)
  for (const one of kept.burnt) book.burnt.add(one)
  for (const [name, amount] of kept.wallets) book.wallets.set(name, amount)
}
