import { closeSync, openSync, readFileSync, writeSync } from 'node:fs'
import type { Mode } from '../../src/platform/mode.ts'

export type What = 'charge' | 'payout' | 'bulk' | 'refund' | 'schedule' | 'form' | 'dispense'
/**
 * A request that moves money, as it was sent; the same key always has the same body. A refund and a customer's form send no key:
 * theirs exists only here, and a field of the form says that it is the same one.
 */
export type KeyedRequest = {
  key: string
  what: What
  path: string
  merchant: string
  mode: Mode
  body: Record<string, unknown>
  /** Only of a form: the cookie that the browser has of the page. */
  cookie?: string
}
/** A conclusive answer. `body` is the bytes as text, or for an accepted form the target of the redirect. */
export type Answered = { key: string; status: number; body: string; replayed: boolean }

/** The clients' own book: what was sent and what was answered, one JSON line each. */
export type Journal = {
  path: string
  /** Written before the request leaves. */
  sending(request: KeyedRequest): void
  /** Written after the answer came. */
  answered(answer: Answered): void
  close(): void
}

export type Book = { requests: Map<string, KeyedRequest>; answers: Map<string, Answered[]> }

/** Opens the file so that each line is on the disk before the call returns. */
export function openJournal(path: string): Journal {
  const file = openSync(path, 'as')
  const write = (line: object) => writeSync(file, `${JSON.stringify(line)}\n`)
  return {
    path,
    sending: (request) => void write({ sending: request }),
    answered: (answer) => void write({ answered: answer }),
    close: () => closeSync(file),
  }
}

/** Reads the journal back from the file, because only what was written down counts. */
export function readJournal(path: string): Book {
  const book: Book = { requests: new Map(), answers: new Map() }
  for (const line of readFileSync(path, 'utf8').split('\n')) {
    if (line === '') continue
    const { sending, answered } = JSON.parse(line) as { sending?: KeyedRequest; answered?: Answered }
    if (sending) book.requests.set(sending.key, sending)
    if (answered) book.answers.set(answered.key, [...(book.answers.get(answered.key) ?? []), answered])
  }
  return book
}

/** The conclusive answers to every request of one kind, with the request. */
export function answersTo(book: Book, what: What): (Answered & { request: KeyedRequest })[] {
  return [...book.requests.values()]
    .filter((request) => request.what === what)
    .flatMap((request) => (book.answers.get(request.key) ?? []).map((answer) => ({ ...answer, request })))
}
