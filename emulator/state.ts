import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import type { Book } from './book.ts'

/** Writes the book to a file, so that a later start goes on with it. A reader finds the old file or the new one. */
export function keepState(file: string, book: Book): void {
  writeFileSync(`${file}.new`, JSON.stringify(book.keep()))
  renameSync(`${file}.new`, file)
}

/** True when there was a book to go on with. */
export function readState(file: string, book: Book): boolean {
  if (!existsSync(file)) return false
  book.restore(JSON.parse(readFileSync(file, 'utf8')) as ReturnType<Book['keep']>)
  return true
}
