import type { UploadedStatement } from './uploaded-statements.ts'

/** The state of a statement, as pages and commands show it. */
export type StatementState =
  | 'waits'
  | 'looking'
  | 'looked'
  | 'importing'
  | 'imported'
  | 'broken-off'
  | 'failed'
  | 'taking-back'
  | 'taken-back'
  | 'gone'

export function computeStatementState({
  takenBackAt,
  importedAt,
  askedAt,
  wanted,
  isClaimed,
  failed,
  lookedAt,
  isKept,
  isToBeTakenBack,
}: UploadedStatement): StatementState {
  if (takenBackAt !== null) return 'taken-back'
  if (isToBeTakenBack) return 'taking-back'
  if (importedAt !== null) return 'imported'
  if (wanted !== null && !isClaimed) return 'waits'
  if (wanted !== null) return wanted === 'look' ? 'looking' : 'importing'
  // An import that failed may have stored lines.
  if (askedAt !== null) return 'broken-off'
  if (failed !== null) return 'failed'
  if (!isKept) return 'gone'
  return lookedAt === null ? 'waits' : 'looked'
}
