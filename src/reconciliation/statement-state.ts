import type { UploadedStatement } from './uploaded-statements.ts'

/** How far a statement is, for those who wait for it. */
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

export function stateOfStatement({
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
  // Lines of an import that has failed may be stored.
  if (askedAt !== null) return 'broken-off'
  if (failed !== null) return 'failed'
  if (!isKept) return 'gone'
  return lookedAt === null ? 'waits' : 'looked'
}
